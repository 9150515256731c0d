#include "dataloader/storage/gcs/gcs_range_read.h"

#include "dataloader/crc32c.h"

namespace carrack::data {

GcsRead::~GcsRead() {
  for (const auto& fetch : fetches_) fetch->cancel();
}

ReadResult GcsRead::run() {
  start();
  for (const auto& fetch : fetches_) {
    if (const ReadResult result = fetch->wait(); result != ReadResult::complete) return result;
  }
  return ReadResult::complete;
}

void GcsRead::start() {
  for (const ObjectRange& range : ranges_) {
    fetches_.push_back(std::make_shared<GcsFetch>(object_, range, in_turn_));
    fetcher_.start(fetches_.back());
    // All ask for the version that the first reply tells; without one the first says what there is to say.
    if (!object_->is_pinned() && !fetches_.front()->wait_for_head()) return;
  }
}

bool GcsRead::is_damaged() const {
  if (!in_turn_) return false;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  for (const auto& fetch : fetches_) {
    crc = crc32c_combine(crc, fetch->crc32c(), fetch->size());
    size += fetch->size();
  }
  return object_->is_damaged(size, crc);
}

}  // namespace carrack::data
