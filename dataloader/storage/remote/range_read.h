// RangeRead: one call of Storage::read() for a remote object: reads ranges of one object into their slices (storage.h),
// by requests that run in parallel in a FetchPool. ranges_for() makes the ranges. After it is destroyed, no byte is
// written into the slices, even if a request still runs. Not thread-safe.
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
  // There must be at least one range, and none may be empty. The pool, the ranges and the memory of their slices must
  // outlive this object. Sends no request yet.
  RangeRead(FetchPool& pool, std::shared_ptr<RemoteObject> object, std::span<const ObjectRange> ranges)
      : pool_(pool), object_(std::move(object)), ranges_(ranges), are_in_turn_(are_in_turn(ranges)) {}
  ~RangeRead();
  RangeRead(const RangeRead&) = delete;
  RangeRead& operator=(const RangeRead&) = delete;

  // Call this once. Reads all ranges, waits for them and returns `complete`. If some fail, the first one in `ranges`
  // that failed decides: returns its result (absent, changed or past_end), or throws its Error if the service failed.
  // So the order in which replies arrive does not change the result. After a failure other requests may still write
  // into the slices until this object is destroyed.
  ReadResult run();
  // True if the ranges are the whole object, in order, and do not match its checksum; false if they match, or if that
  // cannot be checked. Call this only after run() has returned `complete`.
  bool is_damaged() const;

 private:
  void start();

  FetchPool& pool_;
  const std::shared_ptr<RemoteObject> object_;
  const std::span<const ObjectRange> ranges_;
  const bool are_in_turn_;  // a checksum of the whole object can be computed
  std::vector<std::shared_ptr<RangeFetch>> fetches_;
};

}  // namespace carrack::data
