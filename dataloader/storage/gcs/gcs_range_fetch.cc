#include "dataloader/storage/gcs/gcs_range_fetch.h"

#include <algorithm>
#include <cstring>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"

namespace carrack::data {
namespace {

// Less than that is no sign of life, nor progress.
constexpr std::uint64_t step = std::uint64_t{64} << 10;

}  // namespace

// One request.
struct GcsFetch::Try {
  Try*& place;  // first_ or second_
  Stop stop;
  std::uint64_t begin = 0;  // Of the range.
  std::uint64_t came = 0;   // Bytes behind that.
  Clock::time_point heard;
  Clock::duration longest_silence{0};

  void hear(Clock::time_point now) {
    longest_silence = std::max(longest_silence, now - heard);
    heard = now;
  }
};

ReadResult GcsFetch::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return over_; });
  if (error_) std::rethrow_exception(error_);
  return result_;
}

std::uint64_t GcsFetch::got() const {
  const std::lock_guard lock(mutex_);
  return got_;
}

std::uint64_t GcsFetch::wait_for(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  awaited_ = bytes;
  changed_.wait(lock, [&] { return over_ || got_ >= bytes; });
  return got_;
}

bool GcsFetch::wait_for_head() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return over_ || headed_; });
  return headed_;
}

void GcsFetch::cancel() {
  finish(ReadResult::changed);
}

std::uint32_t GcsFetch::crc32c() const {
  const std::lock_guard lock(mutex_);
  return crc32c_;
}

std::optional<std::chrono::milliseconds> GcsFetch::run(GcsClient& client, StallThreshold& stall_threshold) {
  if (!tries_) tries_ = client.backoff();
  Try one{.place = first_, .stop = {}, .heard = Clock::now()};
  if (!begin(one)) return std::nullopt;
  try {
    HttpReply reply;
    try {
      reply = ask(client, one);
    } catch (...) {
      end(one, stall_threshold);
      throw;
    }
    end(one, stall_threshold);
    if (one.came >= step) tries_->progressed();
    const auto result = result_of(reply, one);
    if (!result) return client.due(*tries_, object_->url(), reply);
    finish(*result);
  } catch (...) {
    finish(ReadResult::changed, std::current_exception());
  }
  return std::nullopt;
}

void GcsFetch::run_second(GcsClient& client, StallThreshold& stall_threshold) {
  Try one{.place = second_, .stop = {}, .heard = Clock::now()};
  if (!begin(one)) return;
  try {
    ask(client, one);
  } catch (const std::exception&) {
  }
  end(one, stall_threshold);
}

bool GcsFetch::call_second(Clock::time_point now, Clock::duration limit, RetryBudget& seconds) {
  const std::lock_guard lock(mutex_);
  const bool one_is_out = first_ != nullptr && !called_second_ && !over_;
  if (!one_is_out || now - first_->heard < limit || !seconds.spend()) return false;
  called_second_ = true;
  return true;
}

bool GcsFetch::begin(Try& one) {
  const std::lock_guard lock(mutex_);
  if (over_) return false;
  one.begin = got_;
  one.place = &one;
  return true;
}

HttpReply GcsFetch::ask(GcsClient& client, Try& one) {
  HttpRequest request = object_->request_for(range_.offset + one.begin, range_.size - one.begin);
  request.receive = [this, &one](const HttpReply& head, std::span<const std::byte> piece) {
    return take(one, head, piece);
  };
  const bool has_one_place = range_.into.size() == 1 && range_.into.front().into.size() == range_.size;
  if (has_one_place) {
    request.receive_in_place = [this, &one](const HttpReply& head, const ReadNow& read) {
      take_in_place(one, head, read);
    };
  }
  request.stop = &one.stop;
  HttpReply reply = client.send(request);
  if (reply.whole && is_content(reply.status)) {
    if (one.came == 0 && !object_->take_head(reply, range_.offset + one.begin)) finish(ReadResult::changed);
    if (!reply.header("Content-Range")) object_->take_size(one.came);
  }
  return reply;
}

bool GcsFetch::take(Try& one, const HttpReply& head, std::span<const std::byte> piece) {
  if (one.came == 0 && !object_->take_head(head, range_.offset + one.begin)) {
    finish(ReadResult::changed);
    return false;
  }
  const std::lock_guard writing(writing_);
  const std::lock_guard lock(mutex_);
  if (over_) return false;
  const std::uint64_t known = std::min<std::uint64_t>(got_ - (one.begin + one.came), piece.size());
  come(one, piece.size());
  const bool headed_before = std::exchange(headed_, true);
  const auto fresh = piece.subspan(known);
  fill(fresh.first(std::min<std::uint64_t>(fresh.size(), range_.size - got_)));
  tell(headed_before);
  return one.begin + one.came <= range_.size;
}

// What the other request has brought already must not be written again, nor anything once it is over.
void GcsFetch::take_in_place(Try& one, const HttpReply& head, const ReadNow& read) {
  constexpr std::uint64_t at_once = std::uint64_t{256} << 10;  // More does not stay in a core's cache for its checksum.
  if (one.came == 0 && !object_->take_head(head, range_.offset + one.begin)) return;  // Which take() tells.
  const std::lock_guard writing(writing_);
  std::unique_lock lock(mutex_);
  if (over_ || one.begin + one.came < got_) return;
  const auto room = range_.into.front().into.subspan(got_).first(std::min(at_once, range_.size - got_));
  lock.unlock();
  const std::size_t size = read(room);
  if (size == 0) return;
  const std::uint32_t crc32c = summed_ ? data::crc32c(room.first(size), crc32c_) : 0;
  lock.lock();
  come(one, size);
  crc32c_ = crc32c;
  got_ += size;
  tell(std::exchange(headed_, true));
}

void GcsFetch::come(Try& one, std::uint64_t bytes) {
  if (one.came / step != (one.came + bytes) / step) one.hear(Clock::now());
  one.came += bytes;
}

void GcsFetch::tell(bool headed_before) {
  if (got_ == range_.size) {
    finish_locked(ReadResult::complete, nullptr);
  } else if (!headed_before || got_ >= awaited_) {
    changed_.notify_all();
  }
}

// Puts bytes where they belong; those between slices belong nowhere.
void GcsFetch::fill(std::span<const std::byte> fresh) {
  if (summed_) crc32c_ = data::crc32c(fresh, crc32c_);
  const std::uint64_t begin = range_.offset + got_;
  const std::uint64_t end = begin + fresh.size();
  for (std::size_t i = filled_; i < range_.into.size() && range_.into[i].offset < end; ++i) {
    const Slice& slice = range_.into[i];
    const std::uint64_t from = std::max(begin, slice.offset);
    const std::uint64_t to = std::min(end, slice.offset + slice.into.size());
    if (from < to) std::memcpy(slice.into.data() + (from - slice.offset), fresh.data() + (from - begin), to - from);
    if (i == filled_ && slice.offset + slice.into.size() <= end) ++filled_;
  }
  got_ += fresh.size();
}

void GcsFetch::end(Try& one, StallThreshold& stall_threshold) {
  {
    const std::lock_guard lock(mutex_);
    one.hear(Clock::now());
    one.place = nullptr;
    if (&one.place == &second_) called_second_ = false;
  }
  stall_threshold.add(std::chrono::duration_cast<std::chrono::microseconds>(one.longest_silence));
}

std::optional<ReadResult> GcsFetch::result_of(const HttpReply& reply, const Try& one) {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return result_;
  }
  const bool content = is_content(reply.status) && (one.came > 0 || reply.whole);
  if (!content) return object_->refusal(reply);
  const auto size = object_->size();
  return size && range_.offset + range_.size > *size ? std::optional(ReadResult::past_end) : std::nullopt;
}

void GcsFetch::finish(ReadResult result, std::exception_ptr error) {
  const std::lock_guard writing(writing_);
  const std::lock_guard lock(mutex_);
  if (!over_) finish_locked(result, std::move(error));
}

void GcsFetch::finish_locked(ReadResult result, std::exception_ptr error) {
  over_ = true;
  result_ = result;
  error_ = std::move(error);
  // A reply that has come whole is left to end by itself, so that its connection is kept.
  for (Try* one : {first_, second_}) {
    if (one != nullptr && one->begin + one->came < range_.size) one->stop.stop();
  }
  changed_.notify_all();
}

}  // namespace carrack::data
