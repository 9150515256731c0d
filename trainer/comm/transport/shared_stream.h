// One side of a stream over shared memory. A thread that sends a frame writes it to the ring immediately if there is
// space; the thread of the endpoint does everything else. Functions of Stream are thread-safe.
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
    // For a stream that was accepted: the member whose Hello must be the first frame. nullopt: the stream was opened
    // here.
    std::optional<MemberStart> accepted_from = {};
    // The stream sets this to request a call of serve(). Not null.
    std::shared_ptr<WakeEvent> service;
  };
  // `inbox` must outlive this.
  SharedStream(Inbox& inbox, Settings settings) : inbox_(inbox), settings_(std::move(settings)) {}

  void send(Frame frame) override EXCLUDES(mutex_);
  void close() override EXCLUDES(mutex_);
  void cancel() override EXCLUDES(mutex_);
  bool is_open() override EXCLUDES(mutex_);

  PeerId id() const { return settings_.id; }
  // cancel() stops this, which ends an attempt to connect.
  data::Stop& stop_of_opening() { return stop_; }

  // Starts the stream, and writes what is queued. Call it once, on any thread, before the functions below.
  void begin(std::shared_ptr<SharedConnection> connection) EXCLUDES(mutex_);

  // Puts what has arrived into the inbox, and writes what is queued. Only the endpoint's thread may call it: when the
  // descriptor is readable, and after each request. Returns false once the stream has ended; the caller then removes
  // it.
  bool serve() EXCLUDES(mutex_);
  // Tells the other side that this process is alive, and ends the stream if the other side has not done so for
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
