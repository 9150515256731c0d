// Takes any number of rows at a time from a stream, whatever the sizes of its chunks. The saved state does not depend
// on those sizes, so that tuning them keeps states valid. Used by one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

class Cursor {
 public:
  explicit Cursor(StreamPtr stream) : stream_(std::move(stream)) {}

  // True if there is a next row. Reads the next chunk if no row of the present one is left.
  bool has_rows() {
    while (used_ == chunk_.count) {
      before_ = StateWriter();
      stream_->save(before_);
      used_ = 0;
      std::optional<Rows> next = stream_->next();
      chunk_ = next ? *std::move(next) : Rows{};
      std::ranges::move(chunk_.lost, std::back_inserter(lost_));
      chunk_.lost.clear();
      if (!next) return false;
    }
    return true;
  }
  // The rows left of the current chunk: at least one after has_rows() returned true.
  std::size_t left() const { return chunk_.count - used_; }
  // Appends the next `count` rows to `to`; there must be so many left().
  void take(std::size_t count, Rows& to) {
    CHECK_LE(count, left());
    if (to.count == 0 && used_ == 0 && count == chunk_.count) {
      std::vector<Lost> lost = std::move(to.lost);
      to = std::exchange(chunk_, Rows{.count = count});
      to.lost = std::move(lost);
    } else {
      append(to, chunk_, {used_, used_ + count});
    }
    used_ += count;
  }
  // Leaves out the next `count` rows; there must be so many left().
  void skip(std::size_t count) {
    CHECK_LE(count, left());
    used_ += count;
  }
  // Adds to `to` the rows that were lost since the last call. Call it before save(): the lost rows of the chunks before
  // a saved position are not reported again.
  void take_lost(Rows& to) {
    std::ranges::move(lost_, std::back_inserter(to.lost));
    lost_.clear();
  }

  // Appends the position of the next row.
  void save(StateWriter& state) const {
    if (used_ == chunk_.count) {
      state.number(0);
      stream_->save(state);
    } else {
      state.number(used_);
      state.append(before_);
    }
  }
  // Call it before the first has_rows().
  void restore(StateReader& state) {
    const std::uint64_t used = state.number();
    stream_->restore(state);
    for (std::uint64_t left = used; left > 0 && has_rows();) {
      const std::size_t skipped = std::min<std::uint64_t>(left, this->left());
      skip(skipped);
      left -= skipped;
    }
    lost_.clear();  // These were reported before the state was saved.
  }

 private:
  StreamPtr stream_;
  StateWriter before_;  // the stream's state before the current chunk
  Rows chunk_;
  std::size_t used_ = 0;  // rows of the chunk
  std::vector<Lost> lost_;
};

}  // namespace carrack::data
