// One stream of frames, from either end. gRPC calls it on threads of its own; it queues what is to be sent, writes one
// frame at a time, and tells its endpoint what arrives and, once, that it ended.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <deque>
#include <mutex>
#include <optional>

namespace carrack::train {

// What an endpoint holds of a stream.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void send(grpc::ByteBuffer frame) = 0;
  // Ends it after what is queued has left.
  virtual void close() = 0;
  // Ends it now.
  virtual void cancel() = 0;
};

// The part that a client's and a server's reactor share: `Reactor` is ClientBidiReactor or ServerBidiReactor.
template <class Reactor>
class QueuedStream : public Reactor, public Stream {
 public:
  void send(grpc::ByteBuffer frame) override {
    const std::lock_guard lock(mutex_);
    if (ended_ || closing_) return;
    queue_.push_back(std::move(frame));
    write_next();
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    write_next();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok) {
      queue_.clear();
      closing_ = true;
    }
    write_next();
  }

 protected:
  // Says that nothing more will be written; called once at most.
  virtual void finish_writing() = 0;

  void read_on() {
    const std::lock_guard lock(mutex_);
    if (reading_) this->StartRead(&incoming_);
  }

  // For a server's Finish, after which nothing may be started, not even a read. Called under the lock.
  void stop_reading() { reading_ = false; }

  grpc::ByteBuffer incoming_;

  // After this no operation is started: gRPC forbids it once the stream is done.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    queue_.clear();
  }

 private:
  // Called under the lock, so that no write starts while another thread sees the stream end.
  void write_next() {
    if (ended_ || writing_) return;
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

  std::recursive_mutex mutex_;  // gRPC may run OnWriteDone before StartWrite returns.
  std::deque<grpc::ByteBuffer> queue_;
  grpc::ByteBuffer current_;
  bool reading_ = true;
  bool writing_ = false;
  bool closing_ = false;
  bool ended_ = false;
};

}  // namespace carrack::train
