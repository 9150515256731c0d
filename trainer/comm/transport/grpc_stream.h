// QueuedStream: what the two kinds of gRPC streams of grpc_endpoint.cc have in common, opened ones (gRPC client) and
// accepted ones (gRPC server). It queues frames, which any thread may send, and writes one message at a time. It reads
// one message at a time, and only while the role has fewer than `unhandled_max` messages of this stream to handle;
// otherwise it reads nothing, and gRPC slows the sender down. gRPC calls the On... functions on its own threads.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/frame_codec.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

// `Reactor`, the base class that gRPC requires, is ClientBidiReactor or ServerBidiReactor.
template <class Reactor>
class QueuedStream : public Reactor, public Stream, public std::enable_shared_from_this<QueuedStream<Reactor>> {
 public:
  void send(Frame sent) override {
    std::vector<grpc::ByteBuffer> messages = encode(sent.message, std::move(sent.tail));
    const std::lock_guard lock(mutex_);
    if (ended_ || closing_) return;
    std::ranges::move(messages, std::back_inserter(queue_));
    write_next();
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    write_next();
  }

  bool is_open() override {
    const std::lock_guard lock(mutex_);
    return started_ && !ended_;
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    CHECK(writing_);
    writing_ = false;
    current_.Clear();  // its tail may be as large as the model
    if (!ok) {
      queue_.clear();
      closing_ = true;
    }
    write_next();
  }

 protected:
  // Informs gRPC that nothing more will be written. Called at most once, while the mutex is locked.
  virtual void finish_writing() = 0;

  // Starts to write what is queued; nothing is written before. Call it once, when gRPC has the stream.
  void start_writing() {
    const std::lock_guard lock(mutex_);
    started_ = true;
    write_next();
  }

  // Called while the mutex is locked when this stream will start no more reads; possibly more than once.
  virtual void reads_ended() = 0;

  // Returns the message that was read, for OnReadDone. gRPC finishes one read after the other, but on any of its
  // threads. Locking the mutex makes what an earlier read changed in this object visible to the calling thread.
  grpc::ByteBuffer take_message() {
    const std::lock_guard lock(mutex_);
    grpc::ByteBuffer taken;
    taken.Swap(&incoming_);
    return taken;
  }

  // Returns the part of a frame that the message contains; nullopt if the stream must be ended. Call it once for each
  // message, in their order.
  std::optional<FramePart> part_in(grpc::ByteBuffer message, const FrameLimits& limits) {
    return frames_.add(message, limits);
  }

  // Counts a message that was read as unhandled until the last copy of the result is destroyed, on any thread. For
  // Arrived::unhandled.
  std::shared_ptr<void> new_unhandled() {
    {
      const std::lock_guard lock(mutex_);
      ++unhandled_;
    }
    const auto release = [stream = this->weak_from_this()](void*) {
      if (const auto alive = stream.lock()) alive->handled();
    };
    return {nullptr, release};
  }

  // Starts the next read, or waits with it until fewer messages are unhandled. Does not block. Call it once the last
  // message is in the inbox, so that messages keep their order.
  void read_next() {
    const std::lock_guard lock(mutex_);
    is_reading_ = false;
    read_if_allowed();
  }

  // Prevents further reads. A server calls it, while the mutex is locked, before Finish, because gRPC allows no
  // operation after that.
  void stop_reading() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (!is_reading_) reads_ended();
  }

  // Prevents further writes and drops queued frames, because gRPC forbids writes once the stream is done.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    queue_.clear();
  }

  // Does what end() does, and makes cancel_call() do nothing from now on. A server calls it in OnDone, because gRPC
  // destroys what belongs to the call when OnDone returns.
  void end_as_done() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    end();
  }

  // For a server: cancels the call of `context`, unless end_as_done() was called before.
  template <class Context>
  void cancel_call(Context& context) {
    const std::lock_guard lock(mutex_);
    if (!done_) context.TryCancel();
  }

 private:
  void handled() {
    const std::lock_guard lock(mutex_);
    --unhandled_;
    if (!is_reading_) read_if_allowed();
  }

  // The mutex must be locked.
  void read_if_allowed() {
    if (stopped_) return reads_ended();
    if (unhandled_ >= unhandled_max) return;
    is_reading_ = true;
    this->StartRead(&incoming_);
  }

  // The mutex must be locked, so that no write starts while another thread ends the stream.
  void write_next() {
    if (!started_ || ended_ || writing_) return;
    if (!queue_.empty()) {
      writing_ = true;
      current_.Swap(&queue_.front());
      queue_.pop_front();
      this->StartWrite(&current_);
    } else if (closing_) {
      ended_ = true;
      finish_writing();
    }
  }

  // Recursive, unlike dataloader/mutex.h, because gRPC may call OnWriteDone on this thread before StartWrite returns.
  // It guards all members below except `frames_`, which only reads use.
  std::recursive_mutex mutex_;
  FrameReader frames_;
  std::deque<grpc::ByteBuffer> queue_;  // encoded messages that wait to be written
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer current_;  // the message that is being written
  int unhandled_ = 0;         // messages that were read and are not handled yet
  bool is_reading_ = false;   // a read is under way, or its message is not in the inbox yet
  bool stopped_ = false;      // no more reads are started
  bool started_ = false;
  bool writing_ = false;
  bool closing_ = false;
  bool ended_ = false;
  bool done_ = false;  // OnDone was called
};

}  // namespace carrack::train
