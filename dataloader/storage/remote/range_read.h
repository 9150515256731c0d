// RangeRead: reads ranges of one object into their slices, by requests that run in parallel. Not thread-safe. After it
// is destroyed no byte is written into the slices, even if a request still runs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dataloader/storage/remote/fetch_pool.h"
#include "dataloader/storage/remote/ranges.h"
#include "dataloader/storage/remote/remote_object.h"

namespace carrack::data {

class RangeRead {
 public:
  // There must be at least one range. The pool, the ranges and their slices must outlive this object.
  RangeRead(FetchPool& pool, std::shared_ptr<RemoteObject> object, std::span<const ObjectRange> ranges)
      : pool_(pool), object_(std::move(object)), ranges_(ranges), are_in_turn_(are_in_turn(ranges)) {}
  ~RangeRead();
  RangeRead(const RangeRead&) = delete;
  RangeRead& operator=(const RangeRead&) = delete;

  // Reads all ranges and returns `complete`. If ranges fail, this returns the result of the failed range with the
  // lowest offset, or throws its Error if the service failed; so the order in which replies arrive does not change the
  // result. After a failure other requests may still write into the slices until this object is destroyed. Call this
  // once.
  ReadResult run();
  // Call this only after run() returned `complete`. True if the ranges are the whole object and do not match its
  // checksum; false if they match, or if that cannot be checked.
  bool is_damaged() const;

 private:
  void start();

  FetchPool& pool_;
  const std::shared_ptr<RemoteObject> object_;
  const std::span<const ObjectRange> ranges_;
  const bool are_in_turn_;
  std::vector<std::shared_ptr<RangeFetch>> fetches_;
};

}  // namespace carrack::data
