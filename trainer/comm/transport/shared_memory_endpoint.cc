#include "trainer/comm/transport/shared_memory_endpoint.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/mutex.h"
#include "trainer/comm/transport/dialer.h"
#include "trainer/comm/transport/gate.h"
#include "trainer/comm/transport/shared_stream.h"
#include "trainer/comm/transport/stranger_log.h"
#include "trainer/comm/transport/wake_event.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

// How often a stream shows the other process that this process is alive, and checks that the other one is.
constexpr auto beat_every = std::chrono::seconds(1);

}  // namespace

// Owns all streams that have not ended. One thread serves the streams that have begun.
class SharedMemoryEndpoint::Streams {
 public:
  Streams(Inbox& inbox, Identity identity, const EndpointLimits& limits, std::function<void(const std::string&)> log)
      : inbox_(inbox),
        identity_(std::move(identity)),
        limits_(limits),
        stranger_log_(std::move(log)),
        dialer_({identity_.key->bytes(), identity_.self}, stranger_log_),
        thread_([this](const std::stop_token& stop) { serve(stop); }) {}

  ~Streams() {
    gate_.reset();
    for (const auto& stream : all_streams()) stream->cancel();
    {
      MutexLock lock(mutex_);
      while (!streams_.empty()) one_is_done_.wait(lock);
    }
    thread_.request_stop();
    service_->set();
  }

  std::string listen(const std::string& address) {
    CHECK(!gate_);
    Listening listening = listen_at(address);
    const AcceptingMember self{identity_.self, identity_.address.empty() ? address : identity_.address};
    gate_ = std::make_unique<Gate>(
        std::move(listening), identity_.key->bytes(), self, stranger_log_,
        [this](int socket, const AcceptedOpening::Proven& proven) { accept(MemberSocket(socket), proven.peer); });
    return address;
  }

  PeerId connect(const std::string& address, const ExpectedMember& expected) {
    const std::shared_ptr<SharedStream> stream = new_stream(std::nullopt);
    dialer_.dial(address, expected, stream->stop_of_opening(),
                 [this, stream](Dialer::Opened opened) { begin(*stream, std::move(opened)); });
    return stream->id();
  }

  // Returns null if the stream has ended.
  std::shared_ptr<Stream> find(PeerId id) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.stream;
  }

 private:
  struct Entry {
    std::shared_ptr<SharedStream> stream;
    bool has_begun = false;
  };

  std::shared_ptr<SharedStream> new_stream(const std::optional<MemberStart>& accepted_from) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    auto stream =
        std::make_shared<SharedStream>(inbox_, SharedStream::Settings{next_id_, limits_, accepted_from, service_});
    streams_.emplace(next_id_++, Entry{stream});
    return stream;
  }

  // The gate's thread calls this when a member has proven itself.
  void accept(MemberSocket socket, const MemberStart& peer) {
    auto memory = SharedMemory::send(socket);
    if (const auto* why = std::get_if<std::string>(&memory)) return stranger_log_.note(*why);
    begin(*new_stream(peer), std::get<SharedMemory>(std::move(memory)), std::move(socket), StreamSide::accepted);
  }

  // A thread of the dialer calls this.
  void begin(SharedStream& stream, Dialer::Opened opened) {
    if (const auto* failed = std::get_if<FailedOpening>(&opened)) return done(stream.id(), failed->why);
    MemberSocket& socket = std::get<ProvenConnection>(opened).socket;
    auto memory = receive_memory(socket, stream.stop_of_opening());
    if (const auto* why = std::get_if<std::string>(&memory)) return done(stream.id(), *why);
    begin(stream, std::get<SharedMemory>(std::move(memory)), std::move(socket), StreamSide::opened);
  }

  static std::variant<SharedMemory, std::string> receive_memory(const MemberSocket& socket, data::Stop& stop) {
    const int descriptor = socket.descriptor();
    if (!stop.watch([descriptor] { ::shutdown(descriptor, SHUT_RDWR); })) return data::was_stopped;
    auto memory = SharedMemory::receive(socket, Clock::now() + opening_time_max);
    stop.watch(nullptr);
    return memory;
  }

  void begin(SharedStream& stream, SharedMemory memory, MemberSocket socket, StreamSide self) EXCLUDES(mutex_) {
    stream.begin(std::make_shared<SharedConnection>(std::move(memory), std::move(socket), self));
    const MutexLock lock(mutex_);
    streams_.at(stream.id()).has_begun = true;
    service_->set();
  }

  void serve(const std::stop_token& stop) {
    Clock::time_point next_beat = Clock::now() + beat_every;
    while (true) {
      const std::vector<std::shared_ptr<SharedStream>> streams = streams_that_have_begun();
      std::vector<pollfd> polled{{service_->descriptor(), POLLIN, 0}};
      for (const auto& stream : streams) polled.push_back({stream->descriptor(), POLLIN, 0});
      const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(next_beat - Clock::now());
      poll(polled.data(), polled.size(), static_cast<int>(std::max<std::int64_t>(0, timeout.count())));
      if (stop.stop_requested()) return;
      // The next beat is due one period after this one, however late this one is. If this process was stopped for a
      // while, it then counts one missed beat of the other side, not several.
      const bool is_beat = Clock::now() >= next_beat;
      if (is_beat) next_beat = Clock::now() + beat_every;
      const bool is_requested = polled[0].revents != 0;
      if (is_requested) service_->clear();
      for (std::size_t i = 0; i < streams.size(); ++i) {
        if (is_beat) streams[i]->beat();
        if (!is_beat && !is_requested && polled[i + 1].revents == 0) continue;
        if (!streams[i]->serve()) done(streams[i]->id(), streams[i]->why());
      }
    }
  }

  // Reports the end of a stream to the role and removes the stream. This is the last call for each stream.
  void done(PeerId id, std::string why) EXCLUDES(mutex_) {
    inbox_.put(Closed{id, std::move(why)});
    const MutexLock lock(mutex_);
    CHECK_EQ(streams_.erase(id), 1u);
    one_is_done_.notify_all();
  }

  std::vector<std::shared_ptr<SharedStream>> streams_that_have_begun() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    std::vector<std::shared_ptr<SharedStream>> begun;
    for (const auto& [id, entry] : streams_) {
      if (entry.has_begun) begun.push_back(entry.stream);
    }
    return begun;
  }

  std::vector<std::shared_ptr<SharedStream>> all_streams() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    std::vector<std::shared_ptr<SharedStream>> all;
    for (const auto& [id, entry] : streams_) all.push_back(entry.stream);
    return all;
  }

  Inbox& inbox_;
  const Identity identity_;
  const EndpointLimits limits_;
  StrangerLog stranger_log_;
  Dialer dialer_;
  const std::shared_ptr<WakeEvent> service_ = std::make_shared<WakeEvent>();  // wakes thread_
  Mutex mutex_;
  ConditionVariable one_is_done_;
  std::map<PeerId, Entry> streams_ GUARDED_BY(mutex_);
  PeerId next_id_ GUARDED_BY(mutex_) = id_min;
  std::unique_ptr<Gate> gate_;
  std::jthread thread_;  // last: it uses all of the above
};

SharedMemoryEndpoint::SharedMemoryEndpoint(Inbox& inbox, Identity identity, const EndpointLimits& limits,
                                           std::function<void(const std::string&)> log)
    : streams_(std::make_unique<Streams>(inbox, std::move(identity), limits, std::move(log))) {}
SharedMemoryEndpoint::~SharedMemoryEndpoint() = default;

std::string SharedMemoryEndpoint::listen(const std::string& address) {
  return streams_->listen(address);
}
PeerId SharedMemoryEndpoint::connect(const std::string& address, const ExpectedMember& expected) {
  return streams_->connect(address, expected);
}
std::shared_ptr<Stream> SharedMemoryEndpoint::find(PeerId peer) {
  return streams_->find(peer);
}

}  // namespace carrack::train
