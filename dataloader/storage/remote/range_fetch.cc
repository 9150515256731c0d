#include "dataloader/storage/remote/range_fetch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/crc32c.h"

namespace carrack::data {
namespace {

// A request makes progress each time this number of bytes has arrived. A request without progress for some time has
// stalled.
constexpr std::uint64_t progress_bytes = std::uint64_t{64} << 10;

}  // namespace

// One request. Its members are guarded by RangeFetch::mutex_ while it runs.
struct RangeFetch::Attempt {
  const bool is_hedge;
  Stop stop;
  std::uint64_t begin = 0;     // offset in the range at which the request begins
  std::uint64_t received = 0;  // number of bytes that the request has received
  Clock::time_point last_progress;
  Clock::duration longest_stall{0};  // longest time without progress

  void add(std::uint64_t bytes) {
    if (received / progress_bytes != (received + bytes) / progress_bytes) note_progress(Clock::now());
    received += bytes;
  }
  void note_progress(Clock::time_point now) {
    longest_stall = std::max(longest_stall, now - last_progress);
    last_progress = now;
  }
};

ReadResult RangeFetch::wait() {
  MutexLock lock(mutex_);
  while (!over_) changed_.wait(lock);
  if (error_) std::rethrow_exception(error_);
  return result_;
}

std::uint64_t RangeFetch::received() const {
  const MutexLock lock(mutex_);
  return received_;
}

std::uint64_t RangeFetch::wait_for_bytes(std::uint64_t bytes) {
  CHECK_LE(bytes, range_.size);
  MutexLock lock(mutex_);
  awaited_bytes_ = bytes;
  while (!over_ && received_ < bytes) changed_.wait(lock);
  return received_;
}

bool RangeFetch::wait_for_reply() {
  MutexLock lock(mutex_);
  while (!over_ && !has_reply_) changed_.wait(lock);
  return has_reply_;
}

void RangeFetch::cancel() {
  finish(ReadResult::changed);
}

std::uint32_t RangeFetch::crc32c() const {
  CHECK(computes_crc32c_);
  const MutexLock lock(mutex_);
  return crc32c_;
}

std::optional<std::chrono::milliseconds> RangeFetch::run(RangeClient& client, StallThreshold& stall_threshold) {
  if (!backoff_) backoff_ = client.backoff();
  Attempt attempt{.is_hedge = false, .stop = {}, .last_progress = Clock::now()};
  if (!begin(attempt)) return std::nullopt;
  try {
    HttpReply reply;
    try {
      reply = send(client, attempt);
    } catch (...) {
      end(attempt, stall_threshold);
      throw;
    }
    end(attempt, stall_threshold);
    if (attempt.received >= progress_bytes) backoff_->progressed();
    const auto result = result_of(reply, attempt);
    if (!result) return client.retry_delay(*backoff_, object_->url(), reply);
    finish(*result);
  } catch (...) {
    finish(ReadResult::changed, std::current_exception());
  }
  return std::nullopt;
}

void RangeFetch::run_hedge(RangeClient& client, StallThreshold& stall_threshold) {
  Attempt attempt{.is_hedge = true, .stop = {}, .last_progress = Clock::now()};
  if (!begin(attempt)) return;
  try {
    send(client, attempt);
  } catch (const std::exception&) {  // A hedge may fail: the fetch goes on with its first request.
  }
  end(attempt, stall_threshold);
}

bool RangeFetch::try_hedge(Clock::time_point now, Clock::duration limit, RetryBudget& hedge_budget) {
  const MutexLock lock(mutex_);
  if (over_ || hedged_ || primary_ == nullptr) return false;
  CHECK(hedge_ == nullptr);
  if (now - primary_->last_progress < limit || !hedge_budget.spend()) return false;
  hedged_ = true;
  return true;
}

RangeFetch::Attempt*& RangeFetch::running_attempt(const Attempt& attempt) {
  return attempt.is_hedge ? hedge_ : primary_;
}

bool RangeFetch::begin(Attempt& attempt) {
  const MutexLock lock(mutex_);
  if (over_) return false;
  CHECK_LT(received_, range_.size);
  CHECK(running_attempt(attempt) == nullptr);
  attempt.begin = received_;
  running_attempt(attempt) = &attempt;
  return true;
}

HttpReply RangeFetch::send(RangeClient& client, Attempt& attempt) {
  const std::uint64_t first = range_.offset + attempt.begin;
  HttpRequest request = object_->range_request(first, range_.size - attempt.begin);
  request.receive = [this, &attempt](const HttpReply& head, std::span<const std::byte> piece) {
    return receive(attempt, head, piece);
  };
  const bool fills_one_slice = range_.into.size() == 1 && range_.into.front().into.size() == range_.size;
  if (fills_one_slice) {
    request.receive_in_place = [this, &attempt](const HttpReply& head, const ReadNow& read) {
      receive_in_place(attempt, head, read);
    };
  }
  request.stop = &attempt.stop;
  HttpReply reply = client.send(request);
  if (reply.is_complete && is_content(reply.status)) {
    // Without a body, receive() was not called, so it has not checked the head.
    if (attempt.received == 0 && !object_->accept_head(reply, first)) finish(ReadResult::changed);
    if (!reply.header("Content-Range")) object_->set_size(attempt.received);
  }
  return reply;
}

bool RangeFetch::receive(Attempt& attempt, const HttpReply& head, std::span<const std::byte> piece) {
  if (attempt.received == 0 && !object_->accept_head(head, range_.offset + attempt.begin)) {
    finish(ReadResult::changed);
    return false;
  }
  const MutexLock writing(writing_);
  const MutexLock lock(mutex_);
  if (over_) return false;
  CHECK_LE(attempt.begin + attempt.received, received_);
  // The other of the two requests may have received the first bytes of this piece already.
  const std::uint64_t known = std::min<std::uint64_t>(received_ - (attempt.begin + attempt.received), piece.size());
  attempt.add(piece.size());
  const bool had_reply = std::exchange(has_reply_, true);
  const auto fresh = piece.subspan(known);
  copy_to_slices(fresh.first(std::min<std::uint64_t>(fresh.size(), range_.size - received_)));
  notify_reader(had_reply);
  return attempt.begin + attempt.received <= range_.size;
}

// Does not read if the fetch is over. Also does not read if the other of the two requests has already received the next
// bytes: the reader may use them, so they must not be written again.
void RangeFetch::receive_in_place(Attempt& attempt, const HttpReply& head, const ReadNow& read) {
  // A piece is small enough to be still in a core's cache when its checksum is computed.
  constexpr std::uint64_t piece_max = std::uint64_t{256} << 10;
  // If the head is not accepted, this does not call `read`, so the bytes go to receive(), which ends the fetch.
  if (attempt.received == 0 && !object_->accept_head(head, range_.offset + attempt.begin)) return;
  const MutexLock writing(writing_);
  MutexLock lock(mutex_);
  if (over_ || attempt.begin + attempt.received < received_) return;
  const auto room = range_.into.front().into.subspan(received_).first(std::min(piece_max, range_.size - received_));
  std::uint32_t crc32c = crc32c_;
  lock.unlock();
  const std::size_t size = read(room);
  if (size == 0) return;
  CHECK_LE(size, room.size());
  if (computes_crc32c_) crc32c = data::crc32c(room.first(size), crc32c);
  lock.lock();
  attempt.add(size);
  crc32c_ = crc32c;
  received_ += size;
  notify_reader(std::exchange(has_reply_, true));
}

void RangeFetch::notify_reader(bool had_reply) {
  CHECK_LE(received_, range_.size);
  if (received_ == range_.size) {
    finish_locked(ReadResult::complete, nullptr);
  } else if (!had_reply || received_ >= awaited_bytes_) {
    changed_.notify_all();
  }
}

// Copies bytes that have not been received before, and drops bytes between two slices.
void RangeFetch::copy_to_slices(std::span<const std::byte> fresh) {
  if (computes_crc32c_) crc32c_ = data::crc32c(fresh, crc32c_);
  const std::uint64_t begin = range_.offset + received_;
  const std::uint64_t end = begin + fresh.size();
  for (std::size_t i = full_slices_; i < range_.into.size() && range_.into[i].offset < end; ++i) {
    const Slice& slice = range_.into[i];
    const std::uint64_t slice_end = slice.offset + slice.into.size();
    const std::uint64_t from = std::max(begin, slice.offset);
    const std::uint64_t to = std::min(end, slice_end);
    if (from < to) std::memcpy(slice.into.data() + (from - slice.offset), fresh.data() + (from - begin), to - from);
    if (i == full_slices_ && slice_end <= end) ++full_slices_;
  }
  received_ += fresh.size();
}

// Removes an attempt that has ended from the running ones, and reports its longest stall.
void RangeFetch::end(Attempt& attempt, StallThreshold& stall_threshold) {
  {
    const MutexLock lock(mutex_);
    CHECK(running_attempt(attempt) == &attempt);
    attempt.note_progress(Clock::now());
    running_attempt(attempt) = nullptr;
    if (attempt.is_hedge) hedged_ = false;
  }
  stall_threshold.add(std::chrono::duration_cast<std::chrono::microseconds>(attempt.longest_stall));
}

std::optional<ReadResult> RangeFetch::result_of(const HttpReply& reply, const Attempt& attempt) {
  {
    const MutexLock lock(mutex_);
    if (over_) return result_;
  }
  const bool has_content = is_content(reply.status) && (attempt.received > 0 || reply.is_complete);
  if (!has_content) return object_->result_of_failure(reply);
  const auto size = object_->size();
  return size && range_.offset + range_.size > *size ? std::optional(ReadResult::past_end) : std::nullopt;
}

void RangeFetch::finish(ReadResult result, std::exception_ptr error) {
  const MutexLock writing(writing_);
  const MutexLock lock(mutex_);
  if (!over_) finish_locked(result, std::move(error));
}

void RangeFetch::finish_locked(ReadResult result, std::exception_ptr error) {
  CHECK(!over_);
  over_ = true;
  result_ = result;
  error_ = std::move(error);
  // A request that has received its last byte is not stopped, so that its connection can be used again.
  for (Attempt* attempt : {primary_, hedge_}) {
    if (attempt != nullptr && attempt->begin + attempt->received < range_.size) attempt->stop.stop();
  }
  changed_.notify_all();
}

}  // namespace carrack::data
