// What both ends of a stream of frames have in common: it queues frames and writes one message of them at a time, from
// start_writing() on, and puts together those that are read. gRPC calls it on threads of its own.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/frame_codec.h"

namespace carrack::train {

// The base of a client's and a server's reactor: `Reactor` is ClientBidiReactor or ServerBidiReactor.
template <class Reactor>
class QueuedStream : public Reactor, public Stream {
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
    current_.Clear();  // Its tail may be as large as the model.
    if (!ok) {
      queue_.clear();
      closing_ = true;
    }
    write_next();
  }

 protected:
  // Tells gRPC that nothing more will be written. Called once at most, with the mutex held.
  virtual void finish_writing() = 0;

  // Writes what was queued before, and from now on what is queued. Called once, when gRPC has the stream.
  void start_writing() {
    const std::lock_guard lock(mutex_);
    started_ = true;
    write_next();
  }

  // Starts to read the next message into `incoming_`.
  void start_read() {
    const std::lock_guard lock(mutex_);
    if (reading_) this->StartRead(&incoming_);
  }

  // Takes the message that was read. take_frame() has the frame if it is complete with it. The message is taken with
  // the mutex held, so that what an earlier read has changed in this object is seen: gRPC calls one read after the
  // other, but on any of its threads.
  FrameReader::State take_message(const FrameLimits& limits) {
    grpc::ByteBuffer taken;
    {
      const std::lock_guard lock(mutex_);
      taken.Swap(&incoming_);
    }
    return frames_.add(taken, limits);
  }
  Frame take_frame() { return frames_.take(); }

  // Called with the mutex held, before a server's Finish: gRPC allows no operation after that, not even a read.
  void stop_reading() { reading_ = false; }

  // No operation is started after this: gRPC forbids it once the stream is done.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    queue_.clear();
  }

 private:
  // Called with the mutex held, so that no write starts while another thread ends the stream.
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
  // It guards all that follows but `frames_`, which only the reads use.
  std::recursive_mutex mutex_;
  FrameReader frames_;
  std::deque<grpc::ByteBuffer> queue_;  // messages of frames
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer current_;  // the message that is being written
  bool started_ = false;
  bool reading_ = true;
  bool writing_ = false;
  bool closing_ = false;
  bool ended_ = false;
};

}  // namespace carrack::train
