// RangeFetch: the download of one byte range of a remote object into memory, with retries. A reader makes it, passes it
// to FetchPool::start(), and then waits for it:
//   const auto fetch = std::make_shared<RangeFetch>(object, range, false);
//   pool.start(fetch);
//   fetch->wait();
//
// If a request breaks off, the next request continues after the received bytes. While a request stalls, a second one,
// the hedge, may request the bytes that are missing; each byte is taken from the request that receives it first. No
// byte is written into the slices after the fetch is over.
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

  // Sends no request: pass the fetch to FetchPool::start(). The range must not be empty. The memory of range.into must
  // be valid until the fetch is over: until wait() has returned or thrown, or cancel() has returned. `computes_crc32c`
  // makes crc32c() available.
  RangeFetch(std::shared_ptr<RemoteObject> object, ObjectRange range, bool computes_crc32c)
      : object_(std::move(object)), range_(std::move(range)), computes_crc32c_(computes_crc32c) {}

  // The functions up to crc32c() are for the reader.

  // Waits until the fetch is over. Returns `complete` if all bytes are in the slices; another ReadResult if the object
  // does not exist, has changed or is too short. Throws the exception that ended the fetch, such as the Error of a
  // failed service. May be called again, with the same result.
  ReadResult wait();
  // Returns the number of bytes of the range, from its front, that have arrived. They do not change again.
  std::uint64_t received() const;
  // Waits until the first `bytes` bytes of the range, at most size(), have arrived or the fetch is over, and returns
  // received(). If that is less than `bytes`, wait() returns or throws the reason. For one thread at a time.
  std::uint64_t wait_for_bytes(std::uint64_t bytes);
  // Waits until the first bytes have arrived and returns true, or false if the fetch is over before that.
  bool wait_for_reply();
  // Ends a fetch that is not over; wait() then returns `changed`, which has no meaning. Waits while a request writes
  // bytes into the slices, but not for the end of the request.
  void cancel();
  std::uint64_t size() const { return range_.size; }
  // Returns the CRC-32C of the range. Call this only once all bytes have arrived, and with `computes_crc32c`.
  std::uint32_t crc32c() const;

  // The functions below are only for the FetchPool.

  // Sends one request for the missing bytes. Returns how long to wait before the next call, or nullopt if the fetch is
  // over. Does not throw: an exception ends the fetch, and wait() throws it.
  std::optional<std::chrono::milliseconds> run(RangeClient& client, StallThreshold& stall_threshold);
  // Sends one request for the missing bytes. Its errors are ignored: the other request reports its own.
  void run_hedge(RangeClient& client, StallThreshold& stall_threshold);
  // Returns true if the only running request has made no progress for `limit` and the budget allows a hedge. The caller
  // must then call run_hedge().
  bool try_hedge(Clock::time_point now, Clock::duration limit, RetryBudget& hedge_budget);

 private:
  struct Attempt;
  // Returns hedge_ or primary_, by the kind of `attempt`.
  Attempt*& running_attempt(const Attempt& attempt) REQUIRES(mutex_);
  // Registers the attempt, which begins at the first missing byte. Returns false if the fetch is over.
  bool begin(Attempt& attempt);
  HttpReply send(RangeClient& client, Attempt& attempt);
  // Receives a piece of a reply's body. Returns false if the rest of the reply is not needed.
  bool receive(Attempt& attempt, const HttpReply& head, std::span<const std::byte> piece);
  // Reads a piece of a reply's body directly into the slice.
  void receive_in_place(Attempt& attempt, const HttpReply& head, const ReadNow& read);
  void copy_to_slices(std::span<const std::byte> fresh) REQUIRES(mutex_);
  // Wakes the reader if it waits for bytes that have arrived, and ends the fetch if all have.
  void notify_reader(bool had_reply) REQUIRES(mutex_);
  void end(Attempt& attempt, StallThreshold& stall_threshold);
  // Returns the result of the fetch after a request, or nullopt if it must be tried again.
  std::optional<ReadResult> result_of(const HttpReply& reply, const Attempt& attempt);
  void finish(ReadResult result, std::exception_ptr error = nullptr);
  void finish_locked(ReadResult result, std::exception_ptr error) REQUIRES(mutex_);

  const std::shared_ptr<RemoteObject> object_;
  const ObjectRange range_;
  const bool computes_crc32c_;
  std::optional<Backoff> backoff_;  // used only by run()

  // Locked while bytes are written to the slices, and while the fetch ends. The functions with which the reader waits
  // do not lock it, because the thread that receives in place may be preempted while it has the lock. cancel() locks
  // it.
  Mutex writing_;
  mutable Mutex mutex_;  // locked after writing_, and only for a moment
  ConditionVariable changed_;
  std::uint64_t received_ GUARDED_BY(mutex_) = 0;       // number of bytes of the range, from its front
  std::size_t full_slices_ GUARDED_BY(mutex_) = 0;      // number of full slices in range_.into, from its front
  std::uint64_t awaited_bytes_ GUARDED_BY(mutex_) = 0;  // The reader waits until received_ is at least this.
  bool has_reply_ GUARDED_BY(mutex_) = false;           // Bytes of a reply have arrived.
  std::uint32_t crc32c_ GUARDED_BY(mutex_) = 0;         // of the received bytes
  bool over_ GUARDED_BY(mutex_) = false;
  bool hedged_ GUARDED_BY(mutex_) = false;  // A hedge was granted and has not ended.
  ReadResult result_ GUARDED_BY(mutex_) = ReadResult::complete;
  std::exception_ptr error_ GUARDED_BY(mutex_);
  Attempt* primary_ GUARDED_BY(mutex_) = nullptr;  // the running requests, or nullptr if none runs
  Attempt* hedge_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace carrack::data
