#include "trainer/comm/transport/grpc_endpoint.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <limits>
#include <map>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/mutex.h"
#include "trainer/comm/transport/frame_codec.h"
#include "trainer/comm/transport/grpc_stream.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr const char* method = "/carrack.train/Stream";
constexpr const char* key_name = "carrack-key";

using ClientReactor = QueuedStream<grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;
using ServerReactor = QueuedStream<grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;

// A process that was stopped, or whose node is gone, does not end its streams. So each side pings the other, and ends
// the stream if there is no answer. gRPC answers pings on its own threads, also while a member computes.
constexpr std::pair<const char*, int> keepalive_arguments[] = {
    {GRPC_ARG_KEEPALIVE_TIME_MS, 5000},
    {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000},
    {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
    {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000}};

// In constant time, so that the time of a refusal does not tell how much of a key was right.
bool keys_equal(grpc::string_ref left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    difference |= static_cast<unsigned char>(left.data()[i]) ^ static_cast<unsigned char>(right[i]);
  }
  return difference == 0;
}

// The limit for gRPC, which would else allow 4 MiB; -1 stands for none.
int received_bytes_max(const FrameLimits& limits) {
  const std::size_t bytes = sizeof(std::uint32_t) + limits.control_bytes + limits.tail_bytes;
  return bytes > std::numeric_limits<int>::max() ? -1 : static_cast<int>(bytes);
}

// Ends a stream whose key is wrong.
class Unauthenticated : public grpc::ServerGenericBidiReactor {
 public:
  Unauthenticated() { Finish(grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "the key of this run is another one")); }
  void OnDone() override { delete this; }
};

}  // namespace

// Owns every live stream by its number. A stream calls done() when gRPC has finished with it.
class GrpcEndpoint::Streams : public grpc::CallbackGenericService {
 public:
  Streams(Inbox& inbox, std::string key, const EndpointLimits& limits)
      : inbox_(inbox), key_(std::move(key)), limits_(limits) {}

  ~Streams() override {
    {
      MutexLock lock(mutex_);
      closing_ = true;
      for (auto& [id, stream] : streams_) stream->cancel();
      while (!streams_.empty()) one_is_done_.wait(lock);
    }
    destroy_ended();
    if (server_) server_->Shutdown(std::chrono::system_clock::time_point());  // A deadline in the past: at once.
  }

  std::string listen(const std::string& address) {
    CHECK(!server_);
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(this);
    builder.SetMaxReceiveMessageSize(received_bytes_max(limits_.accepted));
    for (const auto& [name, value] : keepalive_arguments) builder.AddChannelArgument(name, value);
    const MutexLock lock(mutex_);  // Streams that are accepted before this returns wait until server_ is set.
    server_ = builder.BuildAndStart();
    if (!server_) throw Error(Blame::platform, "cannot listen at " + address);
    if (address.starts_with("unix")) return address;
    return address.substr(0, address.rfind(':') + 1) + std::to_string(port);
  }

  PeerId connect(const std::string& address);
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

  // Null if the stream has ended.
  std::shared_ptr<Stream> find(PeerId id) {
    destroy_ended();
    const MutexLock lock(mutex_);
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
  }

  PeerId add(std::shared_ptr<Stream> stream) {
    const MutexLock lock(mutex_);
    streams_.emplace(++last_id_, std::move(stream));
    return last_id_;
  }

  bool is_closing() {
    const MutexLock lock(mutex_);
    return closing_;
  }

  void deliver(PeerId from, Frame frame) { inbox_.put(Arrived{from, std::move(frame)}); }

  // The last call of a stream, on a thread of gRPC.
  void done(PeerId id, std::string why) {
    inbox_.put(Closed{id, std::move(why)});
    const MutexLock lock(mutex_);
    auto stream = streams_.extract(id);
    CHECK(!stream.empty());
    ended_.push_back(std::move(stream.mapped()));
    one_is_done_.notify_all();
  }

  // Destroys the streams that have ended. It must not run on a thread of gRPC: a stream owns its channel, and with the
  // last channel gRPC joins its threads.
  void destroy_ended() EXCLUDES(mutex_) {
    std::vector<std::shared_ptr<Stream>> ended;
    {
      const MutexLock lock(mutex_);
      ended.swap(ended_);
    }
  }

 private:
  class OpenedStream;
  class AcceptedStream;

  Inbox& inbox_;
  const std::string key_;
  const EndpointLimits limits_;
  std::unique_ptr<grpc::Server> server_;
  Mutex mutex_;
  ConditionVariable one_is_done_;
  bool closing_ GUARDED_BY(mutex_) = false;
  std::map<PeerId, std::shared_ptr<Stream>> streams_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Stream>> ended_ GUARDED_BY(mutex_);  // done, to be destroyed
  PeerId last_id_ GUARDED_BY(mutex_) = 0;
};

class GrpcEndpoint::Streams::OpenedStream final : public ClientReactor {
 public:
  OpenedStream(Streams& streams, const std::string& address)
      : streams_(streams), stub_(channel(address, streams.limits_.opened)) {
    context_.AddMetadata(key_name, streams.key_);
  }

  void start(PeerId id) {
    id_ = id;
    stub_.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    start_read();
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return end();
    grpc::ByteBuffer incoming = take_incoming();
    std::optional<Frame> frame = decode(incoming, streams_.limits_.opened);
    if (!frame) return cancel();
    streams_.deliver(id_, std::move(*frame));
    start_read();
  }

  void OnDone(const grpc::Status& status) override {
    end();
    streams_.done(id_, status.error_message());
  }

  void cancel() override { context_.TryCancel(); }

 private:
  static std::shared_ptr<grpc::Channel> channel(const std::string& address, const FrameLimits& limits) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(received_bytes_max(limits));
    for (const auto& [name, value] : keepalive_arguments) arguments.SetInt(name, value);
    // Each stream has a connection of its own: a process that took over another's address must not get the other's
    // connection or its back-off.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  }

  void finish_writing() override { StartWritesDone(); }

  Streams& streams_;
  PeerId id_ = 0;
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
};

class GrpcEndpoint::Streams::AcceptedStream final : public ServerReactor {
 public:
  AcceptedStream(Streams& streams, grpc::GenericCallbackServerContext& context)
      : streams_(streams), context_(context) {}

  void start(PeerId id) {
    id_ = id;
    start_read();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return close();
    grpc::ByteBuffer incoming = take_incoming();
    std::optional<Frame> frame = decode(incoming, said_hello_ ? streams_.limits_.accepted : limits_before_hello);
    if (!frame) return cancel();
    said_hello_ = said_hello_ || frame->message.has_hello();
    if (!said_hello_) return cancel();
    streams_.deliver(id_, std::move(*frame));
    start_read();
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
  bool said_hello_ = false;
  grpc::GenericCallbackServerContext& context_;
};

PeerId GrpcEndpoint::Streams::connect(const std::string& address) {
  destroy_ended();
  auto stream = std::make_shared<OpenedStream>(*this, address);
  const PeerId id = add(stream);
  stream->start(id);
  return id;
}

grpc::ServerGenericBidiReactor* GrpcEndpoint::Streams::CreateReactor(grpc::GenericCallbackServerContext* context) {
  const auto& metadata = context->client_metadata();
  const auto key = metadata.find(key_name);
  if (key == metadata.end() || !keys_equal(key->second, key_)) return new Unauthenticated();
  auto stream = std::make_shared<AcceptedStream>(*this, *context);
  AcceptedStream* reactor = stream.get();
  reactor->start(add(std::move(stream)));
  // The destructor has cancelled the other streams before this one was added.
  if (is_closing()) reactor->cancel();
  return reactor;
}

GrpcEndpoint::GrpcEndpoint(Inbox& inbox, std::string key, const EndpointLimits& limits)
    : streams_(std::make_unique<Streams>(inbox, std::move(key), limits)) {}
GrpcEndpoint::~GrpcEndpoint() = default;

std::string GrpcEndpoint::listen(const std::string& address) {
  return streams_->listen(address);
}
PeerId GrpcEndpoint::connect(const std::string& address) {
  return streams_->connect(address);
}
std::shared_ptr<Stream> GrpcEndpoint::find(PeerId peer) {
  return streams_->find(peer);
}

}  // namespace carrack::train
