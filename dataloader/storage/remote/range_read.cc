#include "dataloader/storage/remote/range_read.h"

#include "dataloader/check.h"
#include "dataloader/crc32c.h"

namespace carrack::data {

RangeRead::~RangeRead() {
  for (const auto& fetch : fetches_) fetch->cancel();
}

ReadResult RangeRead::run() {
  CHECK(fetches_.empty());
  start();
  for (const auto& fetch : fetches_) {
    if (const ReadResult result = fetch->wait(); result != ReadResult::complete) return result;
  }
  return ReadResult::complete;
}

void RangeRead::start() {
  for (const ObjectRange& range : ranges_) {
    fetches_.push_back(std::make_shared<RangeFetch>(object_, range, are_in_turn_));
    pool_.start(fetches_.back());
    // All ranges must be of the version that the first reply names, so the other requests wait for that reply. If the
    // first fetch ends without a reply, run() returns its failure.
    if (!object_->is_pinned() && !fetches_.front()->wait_for_reply()) return;
  }
}

bool RangeRead::is_damaged() const {
  if (!are_in_turn_) return false;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  for (const auto& fetch : fetches_) {
    crc = crc32c_combine(crc, fetch->crc32c(), fetch->size());
    size += fetch->size();
  }
  return object_->is_damaged(size, crc);
}

}  // namespace carrack::data
