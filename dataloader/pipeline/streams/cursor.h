// Takes a stream's rows in whatever numbers are wanted, however they come. Its state does not depend on how they come,
// so that tuning changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

class Cursor {
 public:
  explicit Cursor(StreamPtr stream) : stream_(std::move(stream)) {}

  // Whether there is a next row; reads on where it must.
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
  // The rows that are left of what was read, at least one while has_rows().
  std::size_t left() const { return chunk_.count - used_; }
  // Moves the next rows, left() at most, behind those of `to`.
  void take(std::size_t count, Rows& to) {
    if (to.count == 0 && used_ == 0 && count == chunk_.count) {
      std::vector<Lost> lost = std::move(to.lost);
      to = std::exchange(chunk_, Rows{.count = count});
      to.lost = std::move(lost);
    } else {
      append(to, chunk_, {used_, used_ + count});
    }
    used_ += count;
  }
  void skip(std::size_t count) { used_ += count; }
  // What was lost on the way since it was last asked.
  std::vector<Lost> lost() { return std::exchange(lost_, {}); }

  void save(StateWriter& state) const {
    if (used_ == chunk_.count) {
      state.number(0);
      stream_->save(state);
    } else {
      state.number(used_);
      state.append(before_);
    }
  }
  void restore(StateReader& state) {
    const std::uint64_t used = state.number();
    stream_->restore(state);
    for (std::uint64_t left = used; left > 0 && has_rows();) {
      const std::size_t skipped = std::min<std::uint64_t>(left, this->left());
      skip(skipped);
      left -= skipped;
    }
    lost_.clear();  // It was told of before.
  }

 private:
  StreamPtr stream_;
  StateWriter before_;  // the stream's state before the chunk
  Rows chunk_;
  std::size_t used_ = 0;
  std::vector<Lost> lost_;
};

}  // namespace carrack::data
