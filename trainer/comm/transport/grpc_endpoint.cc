#include "trainer/comm/transport/grpc_endpoint.h"

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <map>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/mutex.h"
#include "trainer/comm/transport/admitted.h"
#include "trainer/comm/transport/dialer.h"
#include "trainer/comm/transport/frame_codec.h"
#include "trainer/comm/transport/gate.h"
#include "trainer/comm/transport/grpc_stream.h"
#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/tls_tunnels.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr const char* method = "/carrack.train/Stream";
constexpr const char* opening_name = "carrack-opening";

using ClientReactor = QueuedStream<grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;
using ServerReactor = QueuedStream<grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;

// A process that was stopped, or whose node has failed, does not end its streams. So each side pings the other, and
// ends the stream if no answer comes. gRPC answers pings on its own threads, even while a member computes. A ping is
// sent only after earlier writes, which may be blocked; set_options() limits for how long.
constexpr std::pair<const char*, int> channel_arguments[] = {
    {GRPC_ARG_KEEPALIVE_TIME_MS, 5000},
    {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, answer_time_max_ms},
    {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
    {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000},
    // Sets how many bytes of a stream gRPC may receive before this process reads them. By default gRPC raises that
    // number as it measures the network. If this process is busy, gRPC might then buffer whole gradients.
    {GRPC_ARG_HTTP2_BDP_PROBE, 0},
    {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 4 << 20}};

// Returns the maximum size of a message, for gRPC, whose default is 4 MiB. -1: no limit.
int received_bytes_max(const FrameLimits& limits) {
  const std::size_t bytes = message_bytes_max(limits);
  return bytes > std::numeric_limits<int>::max() ? -1 : static_cast<int>(bytes);
}

// Ends a stream that cannot be accepted. It does not name the opening of its connection, by which the other side has
// proven that it knows the job's key, or it is not the first stream on that connection.
class WithoutOpening : public grpc::ServerGenericBidiReactor {
 public:
  WithoutOpening() { Finish(grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "a connection carries one stream")); }
  void OnDone() override { delete this; }
};

}  // namespace

// Owns all streams that have not ended. A stream calls done() when gRPC has finished with it.
class GrpcEndpoint::Streams : public grpc::CallbackGenericService {
 public:
  Streams(Inbox& inbox, Identity identity, const EndpointLimits& limits, std::function<void(const std::string&)> log)
      : inbox_(inbox),
        identity_(std::move(identity)),
        limits_(limits),
        stranger_log_(std::move(log)),
        dialer_({identity_.key->bytes(), identity_.self}, stranger_log_),
        tunnels_(stranger_log_) {}

  ~Streams() override {
    gate_.reset();
    for (const auto& stream : begin_closing()) stream->cancel();
    {
      MutexLock lock(mutex_);
      while (!streams_.empty()) one_is_done_.wait(lock);
    }
    destroy_ended();
    if (server_) server_->Shutdown(std::chrono::system_clock::time_point());  // a deadline in the past: immediately
  }

  std::string listen(const std::string& address) {
    CHECK(!server_);
    Listening listening = listen_at(address);
    const std::string chosen = listening.address;
    grpc::ServerBuilder builder;
    builder.RegisterCallbackGenericService(this);
    builder.SetMaxReceiveMessageSize(received_bytes_max(limits_.accepted));
    for (const auto& [name, value] : channel_arguments) builder.AddChannelArgument(name, value);
    server_ = builder.BuildAndStart();
    if (!server_) throw Error(Blame::platform, "cannot listen at " + address + ": gRPC does not start");
    const AcceptingMember self{identity_.self, identity_.address.empty() ? chosen : identity_.address};
    gate_ = std::make_unique<Gate>(std::move(listening), identity_.key->bytes(), self, stranger_log_,
                                   [this](int socket, const AcceptedOpening::Proven& proven) {
                                     admitted_.add(proven);
                                     auto own = for_grpc(MemberSocket(socket), TlsSide::accepted, proven.proof);
                                     if (own) grpc::AddInsecureChannelFromFd(server_.get(), own->socket.release());
                                   });
    return chosen;
  }

  PeerId connect(const std::string& address, const ExpectedMember& expected);
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

  // Returns null if the stream has ended.
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

  // Waking the role's thread takes about as long as adding one piece of a gradient. So only every second piece of a
  // long tail wakes it. That needs unhandled_max >= 2: otherwise the stream would wait for the first piece to be
  // handled before it reads the second one.
  void deliver(PeerId from, FramePart part, std::shared_ptr<void> unhandled) {
    static_assert(unhandled_max >= 2);
    const bool is_first_of_two =
        part.piece.begin() * sizeof(float) / tail_piece_bytes % 2 == 0 && !part.piece.is_last();
    Arrived arrived{from, std::move(part), std::move(unhandled)};
    is_first_of_two ? inbox_.put_silently(std::move(arrived)) : inbox_.put(std::move(arrived));
  }

  // A stream calls this last. It may run on a thread of gRPC, which must not destroy a stream. So the stream goes to
  // ended_, and destroy_ended() destroys it later.
  void done(PeerId id, std::string why) {
    inbox_.put(Closed{id, std::move(why)});
    const MutexLock lock(mutex_);
    auto stream = streams_.extract(id);
    CHECK(!stream.empty());
    ended_.push_back(std::move(stream.mapped()));
    one_is_done_.notify_all();
  }

  // Destroys the streams that have ended. Must not run on a thread of gRPC: a stream owns its channel, and destroying
  // the last channel makes gRPC join its threads.
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

  // Returns the socket to pass to gRPC for a proven connection. Without TLS, `handshake` has no state. Returns nullopt
  // if the system has no descriptor or thread left for a tunnel.
  std::optional<TunnelEnd> for_grpc(MemberSocket connection, TlsSide side, const Proof& proof) {
    if (!identity_.encrypts) return TunnelEnd{std::move(connection), {}};
    return tunnels_.new_tunnel(std::move(connection), side, secret_of_connection(identity_.key->bytes(), proof));
  }

  // Returns the streams that exist. Streams that are accepted after this call are ended in CreateReactor().
  std::vector<std::shared_ptr<Stream>> begin_closing() {
    const MutexLock lock(mutex_);
    closing_ = true;
    std::vector<std::shared_ptr<Stream>> all;
    for (const auto& [id, stream] : streams_) all.push_back(stream);
    return all;
  }

  Inbox& inbox_;
  const Identity identity_;
  const EndpointLimits limits_;
  StrangerLog stranger_log_;
  AdmittedConnections admitted_;
  Dialer dialer_;
  TlsTunnels tunnels_;  // outlives what uses its sockets
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Gate> gate_;
  Mutex mutex_;
  ConditionVariable one_is_done_;
  bool closing_ GUARDED_BY(mutex_) = false;
  std::map<PeerId, std::shared_ptr<Stream>> streams_ GUARDED_BY(mutex_);
  // Streams that are done, and still have to be destroyed.
  std::vector<std::shared_ptr<Stream>> ended_ GUARDED_BY(mutex_);
  PeerId last_id_ GUARDED_BY(mutex_) = 0;
};

class GrpcEndpoint::Streams::OpenedStream final : public ClientReactor {
 public:
  explicit OpenedStream(Streams& streams) : streams_(streams) {}

  void start(PeerId id, const std::string& address, const ExpectedMember& expected) {
    id_ = id;
    const auto self = std::static_pointer_cast<OpenedStream>(shared_from_this());
    streams_.dialer_.dial(address, expected, stop_, [self](auto opened) { self->begin(std::move(opened)); });
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      stop_reading();
    } else if (std::optional<FramePart> part = part_in(take_message(), streams_.limits_.opened)) {
      streams_.deliver(id_, *std::move(part), new_unhandled());
    } else {
      cancel();
    }
    read_next();
  }

  void OnDone(const grpc::Status& status) override {
    end();
    const std::optional<std::string> handshake = handshake_result();
    streams_.done(id_, handshake.value_or("").empty() ? status.error_message() : *handshake);
  }

  void cancel() override {
    stop_.stop();
    context_.TryCancel();
    stop_reading();
  }

  // A connection whose handshake never succeeds leads to no member, so it must not count as open.
  bool is_open() override { return QueuedStream::is_open() && handshake_result() == ""; }

 private:
  // The result of the TLS handshake: nullopt while it is under way; empty if it has succeeded or TLS is not used;
  // otherwise why it failed. Must not be called before the stream has begun.
  std::optional<std::string> handshake_result() const {
    if (!handshake_.valid()) return "";
    if (handshake_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    return handshake_.get();
  }

  // Starts the stream if the connection was opened and proven.
  void begin(Dialer::Opened opened) {
    if (const auto* failed = std::get_if<FailedOpening>(&opened)) return fail(failed->why);
    auto& connection = std::get<ProvenConnection>(opened);
    auto own = streams_.for_grpc(std::move(connection.socket), TlsSide::opened, connection.proof);
    if (!own) return fail("the system has no thread or descriptor to encrypt with");
    handshake_ = std::move(own->handshake);
    stub_.emplace(channel(own->socket.release(), streams_.limits_.opened));
    context_.AddMetadata(opening_name, name_of(connection.proof));
    stub_->PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    AddHold();
    holds_call_ = true;
    read_next();
    StartCall();
    start_writing();
  }

  // Ends a stream that was not passed to gRPC yet.
  void fail(const std::string& why) {
    end();
    streams_.done(id_, why);
  }

  static std::shared_ptr<grpc::Channel> channel(int socket, const FrameLimits& limits) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(received_bytes_max(limits));
    for (const auto& [name, value] : channel_arguments) arguments.SetInt(name, value);
    return grpc::CreateCustomInsecureChannelFromFd("member", socket, arguments);
  }

  void finish_writing() override { StartWritesDone(); }

  // gRPC calls OnDone when the call has ended and none of its operations is under way. That might happen while another
  // thread is about to start a read. So a hold keeps the call from ending until no more operations will be started.
  void reads_ended() override {
    end();
    if (holds_call_.exchange(false)) RemoveHold();
  }

  Streams& streams_;
  PeerId id_ = 0;
  data::Stop stop_;
  std::shared_future<std::string> handshake_;  // set before the stream is started
  std::optional<grpc::GenericStub> stub_;
  grpc::ClientContext context_;
  std::atomic<bool> holds_call_ = false;
};

class GrpcEndpoint::Streams::AcceptedStream final : public ServerReactor {
 public:
  AcceptedStream(Streams& streams, grpc::GenericCallbackServerContext& context, const MemberStart& peer)
      : streams_(streams), context_(context), peer_(peer) {}

  void start(PeerId id) {
    id_ = id;
    start_writing();
    read_next();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return close();
    grpc::ByteBuffer message = take_message();
    const FrameLimits& limits = said_hello_ ? streams_.limits_.accepted : limits_before_hello;
    std::optional<FramePart> part = part_in(std::move(message), limits);
    if (!part || (!said_hello_ && !is_hello(*part->message))) return cancel();
    said_hello_ = true;
    streams_.deliver(id_, *std::move(part), new_unhandled());
    read_next();
  }

  void OnCancel() override { close(); }

  void OnDone() override {
    end_as_done();
    streams_.done(id_, "the other side ended it");
  }

  void cancel() override { cancel_call(context_); }

 private:
  // The first message must be the Hello of the process that has proven itself in the opening of the connection.
  bool is_hello(const wire::Message& message) const { return message.has_hello() && is_from(message.hello(), peer_); }

  void finish_writing() override {
    stop_reading();
    Finish(grpc::Status::OK);
  }

  void reads_ended() override {}

  Streams& streams_;
  PeerId id_ = 0;
  bool said_hello_ = false;
  grpc::GenericCallbackServerContext& context_;
  const MemberStart peer_;
};

PeerId GrpcEndpoint::Streams::connect(const std::string& address, const ExpectedMember& expected) {
  destroy_ended();
  auto stream = std::make_shared<OpenedStream>(*this);
  const PeerId id = add(stream);
  stream->start(id, address, expected);
  return id;
}

grpc::ServerGenericBidiReactor* GrpcEndpoint::Streams::CreateReactor(grpc::GenericCallbackServerContext* context) {
  const auto& metadata = context->client_metadata();
  const auto opening = metadata.find(opening_name);
  const auto peer =
      opening == metadata.end() ? std::nullopt : admitted_.take({opening->second.data(), opening->second.size()});
  if (!peer) return new WithoutOpening();
  auto stream = std::make_shared<AcceptedStream>(*this, *context, *peer);
  AcceptedStream* reactor = stream.get();
  reactor->start(add(std::move(stream)));
  // The destructor may have cancelled all streams before this one was added.
  if (is_closing()) reactor->cancel();
  return reactor;
}

GrpcEndpoint::GrpcEndpoint(Inbox& inbox, Identity identity, const EndpointLimits& limits,
                           std::function<void(const std::string&)> log)
    : streams_(std::make_unique<Streams>(inbox, std::move(identity), limits, std::move(log))) {}
GrpcEndpoint::~GrpcEndpoint() = default;

std::string GrpcEndpoint::listen(const std::string& address) {
  return streams_->listen(address);
}
PeerId GrpcEndpoint::connect(const std::string& address, const ExpectedMember& expected) {
  return streams_->connect(address, expected);
}
std::shared_ptr<Stream> GrpcEndpoint::find(PeerId peer) {
  return streams_->find(peer);
}

}  // namespace carrack::train
