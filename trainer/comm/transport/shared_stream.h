// SharedStream: one stream of a SharedMemoryEndpoint, on this side. send() copies a frame to the ring on the calling
// thread if there is space. The endpoint's thread reads frames into the inbox, and writes frames that wait for space.
// The functions of Stream are thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/http/stop.h"
#include "dataloader/mutex.h"
#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/inbox.h"
#include "trainer/comm/transport/shared_frames.h"
#include "trainer/comm/transport/wake_event.h"

namespace carrack::train {

class SharedStream final : public Stream, public std::enable_shared_from_this<SharedStream> {
 public:
  struct Settings {
    PeerId id = 0;
    EndpointLimits limits;
    // For a stream that was accepted: the process whose Hello must be the first frame. nullopt: this process opened the
    // stream, and any first frame is accepted.
    std::optional<MemberStart> accepted_from = {};
    // Wakes the endpoint's thread. The stream sets it to request a call of serve(). Not null.
    std::shared_ptr<WakeEvent> service;
  };
  // `inbox` must outlive this.
  SharedStream(Inbox& inbox, Settings settings) : inbox_(inbox), settings_(std::move(settings)) {}

  void send(Frame frame) override EXCLUDES(mutex_);
  void close() override EXCLUDES(mutex_);
  void cancel() override EXCLUDES(mutex_);
  bool is_open() override EXCLUDES(mutex_);

  PeerId id() const { return settings_.id; }
  // Pass this to Dialer::dial(), so that cancel() ends an attempt to connect.
  data::Stop& stop_of_opening() { return stop_; }

  // Starts the stream on a connection, and writes the frames that are queued. Call it once, on any thread, before the
  // functions below. If cancel() was called before, ends the connection instead.
  void begin(std::shared_ptr<SharedConnection> connection) EXCLUDES(mutex_);

  // Puts what has arrived into the inbox, and writes what is queued, without waiting. Only the endpoint's thread may
  // call it: when the descriptor is readable, and after each request. Returns false once the stream has ended. It puts
  // no Closed event: the caller removes the stream and puts Closed with why().
  bool serve() EXCLUDES(mutex_);
  // Shows the other side that this process is alive, and ends the stream if the other side has not done so for
  // answer_time_max_ms. The endpoint's thread must call it once a second.
  void beat() EXCLUDES(mutex_);
  // The descriptor to poll for serve(); -1 if serve() is only to be called on request.
  int descriptor() const;
  // Why the stream has ended, as a message for the user; empty if it has not ended.
  std::string why() EXCLUDES(mutex_);

 private:
  enum class Reading { all_read, held_back, malformed };

  Reading read_frames();
  bool deliver(FramePart part);
  bool has_ended() EXCLUDES(mutex_);
  FrameLimits limits() const;
  void handled();
  void write() REQUIRES(mutex_);
  void end(const std::string& why) REQUIRES(mutex_);

  Inbox& inbox_;
  const Settings settings_;
  data::Stop stop_;
  std::atomic<int> unhandled_ = 0;  // number of parts in the inbox that are not handled yet

  // Set by begin(), then used only by the endpoint's thread.
  std::shared_ptr<SharedConnection> connection_;
  SharedFrameReader frames_;
  bool said_hello_ = false;
  bool peer_has_left_ = false;
  std::uint64_t beats_ = 0;
  std::uint64_t peer_beats_ = 0;
  int beats_missed_ = 0;  // number of beats missed in a row

  Mutex mutex_;
  FrameQueue queue_ GUARDED_BY(mutex_);
  SharedConnection* writable_ GUARDED_BY(mutex_) = nullptr;  // null before begin() and after the end
  bool is_closing_ GUARDED_BY(mutex_) = false;
  bool has_ended_ GUARDED_BY(mutex_) = false;
  std::string why_ GUARDED_BY(mutex_);
};

}  // namespace carrack::train
