// RangeFetch: one byte range of an object on its way into memory.
//
// The request for it is repeated where it broke off. While a request stalls, a second one, the hedge, may request the
// bytes that are missing; each byte is taken from whichever request brings it first. Nothing is written into the slices
// once the fetch is over.
//
// Three kinds of threads call this at the same time: a reader waits for the bytes, workers of the FetchPool run the
// requests, and the pool's monitor looks for stalls.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>

#include "dataloader/mutex.h"
#include "dataloader/storage/remote/range_client.h"
#include "dataloader/storage/remote/ranges.h"
#include "dataloader/storage/remote/remote_object.h"
#include "dataloader/storage/remote/retry_budget.h"
#include "dataloader/storage/remote/stall_threshold.h"

namespace carrack::data {

class RangeFetch {
 public:
  using Clock = std::chrono::steady_clock;

  // With `computes_crc32c`, crc32c() is available once the fetch is complete.
  RangeFetch(std::shared_ptr<RemoteObject> object, ObjectRange range, bool computes_crc32c)
      : object_(std::move(object)), range_(std::move(range)), computes_crc32c_(computes_crc32c) {}

  // For the reader.

  // Waits until the fetch is over. Throws the Error that ended it.
  ReadResult wait();
  // How many bytes of the range, from its front, have arrived. They do not change any more.
  std::uint64_t received() const;
  // Waits until so many bytes have arrived or the fetch is over, and returns how many have arrived. If they are fewer,
  // wait() says why. For one thread at a time.
  std::uint64_t wait_for_bytes(std::uint64_t bytes);
  // Waits until a reply has begun to bring bytes, and returns true; false if the fetch is over without one.
  bool wait_for_reply();
  // Ends the fetch without a result, as it is no longer needed.
  void cancel();
  std::uint64_t size() const { return range_.size; }
  // The checksum of all bytes of the range. Call it once the range is complete.
  std::uint32_t crc32c() const;

  // The functions below are for the FetchPool alone.

  // Sends one request. Returns how long to wait before calling it again, or nullopt if the fetch is over.
  std::optional<std::chrono::milliseconds> run(RangeClient& client, StallThreshold& stall_threshold);
  // Sends one request for what is missing. Its failures are ignored: the other request reports its own.
  void run_hedge(RangeClient& client, StallThreshold& stall_threshold);
  // True if the only request that is out has stalled for `limit` and the budget allows a hedge; then run_hedge() has to
  // follow.
  bool try_hedge(Clock::time_point now, Clock::duration limit, RetryBudget& hedge_budget);

 private:
  struct Attempt;
  Attempt*& running_attempt(const Attempt& attempt) REQUIRES(mutex_);
  bool begin(Attempt& attempt);
  HttpReply send(RangeClient& client, Attempt& attempt);
  // Takes a piece of a reply's body. Returns false if the reply's rest is not needed.
  bool receive(Attempt& attempt, const HttpReply& head, std::span<const std::byte> piece);
  // Has a piece of a reply's body read to its place, without a copy between.
  void receive_in_place(Attempt& attempt, const HttpReply& head, const ReadNow& read);
  void copy_to_slices(std::span<const std::byte> fresh) REQUIRES(mutex_);
  // Wakes the reader if it waits for what has arrived now, and ends the fetch if that is all.
  void notify_reader(bool had_reply) REQUIRES(mutex_);
  void end(Attempt& attempt, StallThreshold& stall_threshold);
  std::optional<ReadResult> result_of(const HttpReply& reply, const Attempt& attempt);
  void finish(ReadResult result, std::exception_ptr error = nullptr);
  void finish_locked(ReadResult result, std::exception_ptr error) REQUIRES(mutex_);

  const std::shared_ptr<RemoteObject> object_;
  const ObjectRange range_;
  const bool computes_crc32c_;
  std::optional<Backoff> backoff_;  // Used by run() only.

  // Held while bytes are written to the slices, and while the fetch ends. The reader does not take it: the thread that
  // receives in place may lose its core meanwhile.
  Mutex writing_;
  mutable Mutex mutex_;  // Locked after writing_, and only for a moment.
  ConditionVariable changed_;
  std::uint64_t received_ GUARDED_BY(mutex_) = 0;       // bytes of the range, from its front
  std::size_t full_slices_ GUARDED_BY(mutex_) = 0;      // of range_.into, from its front
  std::uint64_t awaited_bytes_ GUARDED_BY(mutex_) = 0;  // The reader waits until so many were received.
  bool has_reply_ GUARDED_BY(mutex_) = false;           // A reply has begun to bring bytes.
  std::uint32_t crc32c_ GUARDED_BY(mutex_) = 0;         // of the received bytes
  bool over_ GUARDED_BY(mutex_) = false;
  bool hedged_ GUARDED_BY(mutex_) = false;  // A hedge was granted and has not ended.
  ReadResult result_ GUARDED_BY(mutex_) = ReadResult::complete;
  std::exception_ptr error_ GUARDED_BY(mutex_);
  Attempt* primary_ GUARDED_BY(mutex_) = nullptr;  // The requests that are out.
  Attempt* hedge_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace carrack::data
