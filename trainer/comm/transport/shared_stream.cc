#include "trainer/comm/transport/shared_stream.h"

#include <utility>

namespace carrack::train {
namespace {

constexpr int beats_missed_max = answer_time_max_ms / 1000;  // a beat is due every second

constexpr const char* broken_protocol = "it does not follow the protocol of the stream";

}  // namespace

void SharedStream::send(Frame frame) {
  const MutexLock lock(mutex_);
  if (has_ended_ || is_closing_) return;
  queue_.push(frame.message, std::move(frame.tail));
  write();
}

void SharedStream::close() {
  const MutexLock lock(mutex_);
  is_closing_ = true;
  write();
}

void SharedStream::cancel() {
  stop_.stop();
  const MutexLock lock(mutex_);
  end("it was cancelled");
}

bool SharedStream::is_open() {
  const MutexLock lock(mutex_);
  return writable_ != nullptr;
}

void SharedStream::begin(std::shared_ptr<SharedConnection> connection) {
  connection_ = std::move(connection);
  const MutexLock lock(mutex_);
  if (has_ended_) return connection_->end();
  writable_ = connection_.get();
  write();
}

bool SharedStream::serve() {
  if (has_ended()) return false;
  // The end of the connection is checked first, so that everything that the other side wrote before the end is read.
  if (!peer_has_left_) peer_has_left_ = !connection_->take_wakes();
  const Reading reading = read_frames();
  const MutexLock lock(mutex_);
  if (reading == Reading::malformed) end(broken_protocol);
  write();
  // If the other side has closed the stream in order, the frames that are still in the ring are delivered first. If the
  // connection broke, they are dropped.
  const bool has_more = reading == Reading::held_back && connection_->peer().closed.load() != 0;
  if (peer_has_left_ && !has_more) end("the other side ended it");
  return !has_ended_;
}

void SharedStream::beat() {
  connection_->own().beats.store(++beats_);
  const std::uint64_t beats = connection_->peer().beats.load();
  beats_missed_ = std::exchange(peer_beats_, beats) == beats ? beats_missed_ + 1 : 0;
  if (beats_missed_ < beats_missed_max || peer_has_left_) return;
  const MutexLock lock(mutex_);
  end("it has not answered for " + std::to_string(answer_time_max_ms / 1000) + " s");
}

bool SharedStream::has_ended() {
  const MutexLock lock(mutex_);
  return has_ended_;
}

int SharedStream::descriptor() const {
  return peer_has_left_ ? -1 : connection_->descriptor();
}

std::string SharedStream::why() {
  const MutexLock lock(mutex_);
  return why_;
}

SharedStream::Reading SharedStream::read_frames() {
  while (unhandled_ < unhandled_max) {
    SharedFrameReader::Next next = frames_.next(connection_, limits());
    if (std::holds_alternative<SharedFrameReader::Incomplete>(next)) return Reading::all_read;
    auto* part = std::get_if<FramePart>(&next);
    if (part == nullptr || !deliver(std::move(*part))) return Reading::malformed;
  }
  return Reading::held_back;
}

// Returns false if the part is not the Hello that must come first.
bool SharedStream::deliver(FramePart part) {
  const std::optional<MemberStart>& from = settings_.accepted_from;
  if (from && !said_hello_ && !(part.message->has_hello() && is_from(part.message->hello(), *from))) return false;
  said_hello_ = true;
  ++unhandled_;
  const auto release = [stream = weak_from_this()](void*) {
    if (const auto alive = stream.lock()) alive->handled();
  };
  inbox_.put(Arrived{id(), std::move(part), std::shared_ptr<void>(nullptr, release)});
  return true;
}

FrameLimits SharedStream::limits() const {
  if (!settings_.accepted_from) return settings_.limits.opened;
  return said_hello_ ? settings_.limits.accepted : limits_before_hello;
}

// Counts one part as handled. At unhandled_max the endpoint's thread stops reading, so it must be woken to continue.
void SharedStream::handled() {
  if (unhandled_-- == unhandled_max) settings_.service->set();
}

// Writes queued frames as far as there is space. Ends the stream if it is closing and all of them are written.
void SharedStream::write() {
  if (writable_ == nullptr) return;
  if (!queue_.write(*writable_)) return end(broken_protocol);
  if (!is_closing_ || !queue_.is_empty()) return;
  writable_->own().closed.store(1);
  end("it was closed");
}

// Only marks the end; the endpoint's thread removes the stream. The other side has its own mapping of the memory.
void SharedStream::end(const std::string& why) {
  if (has_ended_) return;
  has_ended_ = true;
  why_ = why;
  queue_.clear();
  if (writable_ != nullptr) std::exchange(writable_, nullptr)->end();
  settings_.service->set();
}

}  // namespace carrack::train
