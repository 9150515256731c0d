// Ranges of one object, read at once. What ends them is told for the first of them, by offset, that did not come whole;
// so who asks twice hears the same. Nothing is written once this is destroyed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dataloader/storage/gcs/gcs_fetch_pool.h"
#include "dataloader/storage/gcs/gcs_object.h"
#include "dataloader/storage/gcs/gcs_ranges.h"

namespace carrack::data {

class GcsRead {
 public:
  // At least one range.
  GcsRead(GcsFetcher& fetcher, std::shared_ptr<GcsObject> object, std::span<const ObjectRange> ranges)
      : fetcher_(fetcher), object_(std::move(object)), ranges_(ranges), in_turn_(are_in_turn(ranges)) {}
  ~GcsRead();
  GcsRead(const GcsRead&) = delete;
  GcsRead& operator=(const GcsRead&) = delete;

  // Called once. Throws Error for what no result says.
  ReadResult run();
  // Whether the ranges are all of the object and have another checksum than it; known once they are complete.
  bool is_damaged() const;

 private:
  void start();

  GcsFetcher& fetcher_;
  const std::shared_ptr<GcsObject> object_;
  const std::span<const ObjectRange> ranges_;
  const bool in_turn_;
  std::vector<std::shared_ptr<GcsFetch>> fetches_;
};

}  // namespace carrack::data
