#include "trainer/comm/transport/endpoint.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <condition_variable>
#include <map>
#include <vector>

#include "trainer/comm/transport/frame_codec.h"
#include "trainer/comm/transport/stream.h"
#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

constexpr const char* method = "/carrack.train/Stream";
constexpr const char* key_name = "carrack-key";

using ClientReactor = QueuedStream<grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;
using ServerReactor = QueuedStream<grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;

// A process that was stopped, or whose node is gone, ends no stream. Each side asks the other whether it is there, and
// ends a stream that gives no answer; gRPC answers on threads of its own, however long a member computes.
constexpr std::pair<const char*, int> liveness[] = {{GRPC_ARG_KEEPALIVE_TIME_MS, 5000},
                                                    {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000},
                                                    {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
                                                    {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000}};

// "send.push" and the like: every kind of frame has a point of its own.
std::string_view point_of(const wire::Message& message) {
  static const std::map<int, std::string> points = [] {
    std::map<int, std::string> all{{wire::Message::BODY_NOT_SET, "send.nothing"}};
    const google::protobuf::OneofDescriptor& body = *wire::Message::descriptor()->FindOneofByName("body");
    for (int i = 0; i < body.field_count(); ++i) all[body.field(i)->number()] = "send." + body.field(i)->name();
    return all;
  }();
  return points.at(message.body_case());
}

// Ends a stream of one who does not know the key.
class Unauthenticated : public grpc::ServerGenericBidiReactor {
 public:
  Unauthenticated() { Finish(grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "the key of this run is another one")); }
  void OnDone() override { delete this; }
};

}  // namespace

// Owns every live stream by its number; gRPC's reactors take themselves out of it when they are done.
class Endpoint::Streams : public grpc::CallbackGenericService {
 public:
  Streams(Inbox& inbox, std::string key) : inbox_(inbox), key_(std::move(key)) {}

  ~Streams() override {
    {
      std::unique_lock lock(mutex_);
      closing_ = true;
      for (auto& [id, stream] : streams_) stream->cancel();
      gone_.wait(lock, [this] { return streams_.empty(); });
    }
    bury();
    if (server_) server_->Shutdown(std::chrono::system_clock::time_point());  // Long past: at once.
  }

  std::string listen(const std::string& address) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(this);
    builder.SetMaxReceiveMessageSize(-1);
    for (const auto& [name, value] : liveness) builder.AddChannelArgument(name, value);
    server_ = builder.BuildAndStart();
    if (!server_) throw Error(Blame::platform, "cannot listen at " + address);
    if (address.starts_with("unix")) return address;
    return address.substr(0, address.rfind(':') + 1) + std::to_string(port);
  }

  PeerId connect(const std::string& address);
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

  std::shared_ptr<Stream> find(PeerId id) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
  }

  PeerId add(std::shared_ptr<Stream> stream) {
    const std::lock_guard lock(mutex_);
    streams_.emplace(++last_id_, std::move(stream));
    return last_id_;
  }

  bool is_closing() {
    const std::lock_guard lock(mutex_);
    return closing_;
  }

  // False: it is no frame, and the stream that sent it cannot be trusted further.
  bool deliver(PeerId from, grpc::ByteBuffer& bytes) {
    std::optional<Frame> frame = decode(bytes);
    if (!frame) return false;
    inbox_.put(Arrived{from, std::move(*frame)});
    return true;
  }

  // Called by a stream as its last act, on gRPC's thread.
  void done(PeerId id, std::string why) {
    inbox_.put(Closed{id, std::move(why)});
    const std::lock_guard lock(mutex_);
    ended_.push_back(std::move(streams_.extract(id).mapped()));
    gone_.notify_all();
  }

  // Destroys what has ended, on a thread of ours: with a stream goes its channel, and with the last channel gRPC ends
  // the very threads that called done().
  void bury() {
    std::vector<std::shared_ptr<Stream>> ended;
    {
      const std::lock_guard lock(mutex_);
      ended.swap(ended_);
    }
  }

 private:
  class Opened;
  class Served;

  Inbox& inbox_;
  std::string key_;
  std::unique_ptr<grpc::Server> server_;
  std::mutex mutex_;
  bool closing_ = false;
  std::condition_variable gone_;
  std::map<PeerId, std::shared_ptr<Stream>> streams_;
  std::vector<std::shared_ptr<Stream>> ended_;
  PeerId last_id_ = 0;
};

class Endpoint::Streams::Opened : public ClientReactor {
 public:
  Opened(Streams& streams, const std::string& address) : streams_(streams), stub_(channel(address)) {
    context_.AddMetadata(key_name, streams.key_);
  }

  void start(PeerId id) {
    id_ = id;
    stub_.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    read_on();
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return end();
    if (!streams_.deliver(id_, incoming_)) return cancel();
    read_on();
  }

  void OnDone(const grpc::Status& status) override {
    end();
    streams_.done(id_, status.error_message());
  }

  void cancel() override { context_.TryCancel(); }

 private:
  static std::shared_ptr<grpc::Channel> channel(const std::string& address) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    for (const auto& [name, value] : liveness) arguments.SetInt(name, value);
    // A stream to a process that took another's address must not inherit the other's connection, nor its back-off.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  }

  void finish_writing() override { StartWritesDone(); }

  Streams& streams_;
  PeerId id_ = 0;
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
};

class Endpoint::Streams::Served : public ServerReactor {
 public:
  Served(Streams& streams, grpc::GenericCallbackServerContext& context) : streams_(streams), context_(context) {}

  void start(PeerId id) {
    id_ = id;
    read_on();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return close();
    if (!streams_.deliver(id_, incoming_)) return cancel();
    read_on();
  }

  void OnCancel() override { close(); }

  void OnDone() override {
    end();
    streams_.done(id_, "the other side ended it");
  }

  void cancel() override { context_.TryCancel(); }

 private:
  void finish_writing() override {
    stop_reading();
    Finish(grpc::Status::OK);
  }

  Streams& streams_;
  PeerId id_ = 0;
  grpc::GenericCallbackServerContext& context_;
};

PeerId Endpoint::Streams::connect(const std::string& address) {
  bury();
  auto stream = std::make_shared<Opened>(*this, address);
  const PeerId id = add(stream);
  stream->start(id);
  return id;
}

grpc::ServerGenericBidiReactor* Endpoint::Streams::CreateReactor(grpc::GenericCallbackServerContext* context) {
  const auto& metadata = context->client_metadata();
  const auto key = metadata.find(key_name);
  if (key == metadata.end() || key->second != key_) return new Unauthenticated();
  auto stream = std::make_shared<Served>(*this, *context);
  Served* reactor = stream.get();
  reactor->start(add(std::move(stream)));
  // It came after all others were ended: nobody else would end it.
  if (is_closing()) reactor->cancel();
  return reactor;
}

Endpoint::Endpoint(Inbox& inbox, std::string key) : streams_(std::make_unique<Streams>(inbox, std::move(key))) {}
Endpoint::~Endpoint() = default;

std::string Endpoint::listen(const std::string& address) {
  return streams_->listen(address);
}
PeerId Endpoint::connect(const std::string& address) {
  return streams_->connect(address);
}

void Endpoint::send(PeerId to, const wire::Message& message, const Tail& tail) {
  streams_->bury();
  const CrashPoint point(point_of(message));
  if (const auto stream = streams_->find(to)) stream->send(encode(message, tail));
}

void Endpoint::close(PeerId peer) {
  if (const auto stream = streams_->find(peer)) stream->close();
}

void Endpoint::cancel(PeerId peer) {
  if (const auto stream = streams_->find(peer)) stream->cancel();
}

}  // namespace carrack::train
