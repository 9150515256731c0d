// RangeRead: reads ranges of one object by requests that run in parallel. The result is that of the first range, by
// offset, that did not arrive whole, so that equal failures give equal results. For one thread; nothing is written into
// the slices once it is destroyed.
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
  // At least one range. Pool and ranges must outlive this object.
  RangeRead(FetchPool& pool, std::shared_ptr<RemoteObject> object, std::span<const ObjectRange> ranges)
      : pool_(pool), object_(std::move(object)), ranges_(ranges), are_in_turn_(are_in_turn(ranges)) {}
  ~RangeRead();
  RangeRead(const RangeRead&) = delete;
  RangeRead& operator=(const RangeRead&) = delete;

  // Waits until all ranges are read, or until one of them, in the order of their offsets, has failed. It then returns
  // that failure, or throws Error if the service failed. After a failure other requests may still write into the slices
  // until this object is destroyed. Call it once.
  ReadResult run();
  // After a complete run(): true if the ranges are the whole object and do not match its checksum.
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
