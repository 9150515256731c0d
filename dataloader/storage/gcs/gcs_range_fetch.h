// One range of an object on its way into memory. The request for it is tried again where it broke, and beside a silent
// one a second may ask for what is missing: whatever comes first counts, once. Nothing is written once it is over.
//
// Three kinds of threads meet here: who waits for the bytes, who asks for them, and who looks for silence.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/gcs/gcs_object.h"
#include "dataloader/storage/gcs/gcs_ranges.h"
#include "dataloader/storage/remote/retry_budget.h"
#include "dataloader/storage/remote/stall_threshold.h"

namespace carrack::data {

class GcsFetch {
 public:
  using Clock = std::chrono::steady_clock;

  // A range that is `summed` has its checksum taken as it comes.
  GcsFetch(std::shared_ptr<GcsObject> object, ObjectRange range, bool summed)
      : object_(std::move(object)), range_(std::move(range)), summed_(summed) {}

  // Until it is over; throws what ended it.
  ReadResult wait();
  // How many bytes are there. They stay as they are.
  std::uint64_t got() const;
  // The same once they are so many, or it is over; then wait() says why they are fewer.
  std::uint64_t wait_for(std::uint64_t bytes);
  // Until a reply has begun to bring bytes; false: none did, and it is over.
  bool wait_for_head();
  // Over without a result; who waits is gone.
  void cancel();
  std::uint64_t size() const { return range_.size; }
  // Of all bytes, once it is complete.
  std::uint32_t crc32c() const;

  // Asks once. How long to wait before it asks again; nothing once it is over.
  std::optional<std::chrono::milliseconds> run(GcsClient& client, StallThreshold& stall_threshold);
  // Asks once for what is missing. Whatever is wrong is left to the other request to tell.
  void run_second(GcsClient& client, StallThreshold& stall_threshold);

  // Whether the one request that is out was silent for so long that a second one is called for, and may be sent; then
  // run_second is to follow.
  bool call_second(Clock::time_point now, Clock::duration limit, RetryBudget& seconds);

 private:
  struct Try;
  bool begin(Try& one);
  HttpReply ask(GcsClient& client, Try& one);
  // False: no more of it is wanted.
  bool take(Try& one, const HttpReply& head, std::span<const std::byte> piece);
  void take_in_place(Try& one, const HttpReply& head, const ReadNow& read);
  void come(Try& one, std::uint64_t bytes);
  // More bytes are there, as many as got_ says.
  void tell(bool headed_before);
  void fill(std::span<const std::byte> fresh);
  void end(Try& one, StallThreshold& stall_threshold);
  std::optional<ReadResult> result_of(const HttpReply& reply, const Try& one);
  void finish(ReadResult result, std::exception_ptr error = nullptr);
  void finish_locked(ReadResult result, std::exception_ptr error);

  const std::shared_ptr<GcsObject> object_;
  const ObjectRange range_;
  const bool summed_;
  std::optional<Backoff> tries_;  // Of run() alone.

  // Held while bytes are put where they belong, and while it ends. Who waits for bytes does not take it: a thread that
  // receives in place may lose its core meanwhile.
  std::mutex writing_;
  mutable std::mutex mutex_;  // Taken after that one, for a moment. Guards what follows.
  std::condition_variable changed_;
  std::uint64_t got_ = 0;      // Of the range, from its front.
  std::size_t filled_ = 0;     // Of range_.into, those before it are full.
  std::uint64_t awaited_ = 0;  // Who waits wants to know when so many are there.
  bool headed_ = false;        // A reply has begun.
  std::uint32_t crc32c_ = 0;   // Of what was got.
  bool over_ = false;
  bool called_second_ = false;
  ReadResult result_ = ReadResult::complete;
  std::exception_ptr error_;
  Try* first_ = nullptr;  // The requests that are out.
  Try* second_ = nullptr;
};

}  // namespace carrack::data
