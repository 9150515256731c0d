// Cursor: reads a stream (rows that come in chunks, from front to back) any number of rows at a time, whatever the
// sizes of its chunks are. For streams that make batches, mixes and so on of the rows of other streams. The saved state
// is valid even if the chunks have other sizes when it is restored. Used by one thread at a time.
//
//   while (cursor.has_rows()) cursor.take(1, rows);  // has_rows() reads the next chunk when it is needed
//   cursor.take_lost(rows);                          // then the rows that cannot be used
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

class Cursor {
 public:
  // `stream` must not be null.
  explicit Cursor(StreamPtr stream) : stream_(std::move(stream)) {}

  // Returns true if there is a next row. If all rows of the current chunk are used, reads the next chunk, and passes on
  // its exceptions. Returns false at the end, and where the stream stops at damage (Rows::is_cut). Also returns true at
  // a batch without rows (Rows::is_batch): left() is then 0, and take(0) or skip(0) passes the batch.
  bool has_rows() {
    while (used_ == chunk_.count && !is_at_empty_batch_) {
      is_stopped_ = chunk_is_cut_;
      if (is_stopped_) return false;
      before_ = StateWriter();
      stream_->save(before_);
      pass_lost(lost_of_chunk_.size());
      used_ = 0;
      std::optional<Rows> next = stream_->next();
      chunk_ = next ? *std::move(next) : Rows{};
      lost_of_chunk_ = std::exchange(chunk_.lost, {});
      lost_passed_ = 0;
      chunk_is_cut_ = std::exchange(chunk_.is_cut, false);
      is_at_empty_batch_ = chunk_.is_batch && chunk_.count == 0 && !chunk_is_cut_;
      if (!next) return false;
    }
    return true;
  }
  // The number of unused rows of the current chunk: at least one after has_rows() has returned true, except at a batch
  // without rows.
  std::size_t left() const { return chunk_.count - used_; }
  // Appends the next `count` rows, at most left(), to `to`. Strings are not copied.
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
    is_at_empty_batch_ = false;
  }
  // Leaves out the next `count` rows, at most left().
  void skip(std::size_t count) {
    CHECK_LE(count, left());
    used_ += count;
    is_at_empty_batch_ = false;
  }
  // Appends to `to.lost` the lost rows (rows that cannot be used) that were passed since the last call: those before
  // the last row that take() or skip() has passed, and, once all rows of a chunk that is not cut are used, all lost
  // rows of that chunk. If has_rows() has returned false because the stream stops at damage, and `may_stop` is true,
  // also appends the damaged row and sets `to.is_cut`. Call this before save(): a restored cursor does not report
  // earlier lost rows again.
  void take_lost(Rows& to, bool may_stop = true) {
    if (lost_of_chunk_.empty() && lost_.empty()) return;
    const bool is_used_up = used_ == chunk_.count && !chunk_is_cut_;
    pass_lost(is_used_up || (is_stopped_ && may_stop) ? lost_of_chunk_.size() : lost_before(used_));
    for (Lost& lost : lost_) to.lost.push_back({to.count + to.lost.size(), std::move(lost.why)});
    lost_.clear();
    to.is_cut = to.is_cut || (is_stopped_ && may_stop);
  }

  // Appends the position of the next row to `state`. Where the stream stops at damage, that is before the damaged row,
  // so a restored cursor comes to it again.
  void save(StateWriter& state) const {
    if (used_ == chunk_.count && !chunk_is_cut_ && !is_at_empty_batch_) {
      state.number(0);
      stream_->save(state);
    } else {
      state.number(used_);
      state.append(before_);
    }
  }
  // Continues from a state that save() has written. Call this before the first has_rows(). Reads again, and skips, the
  // rows of the saved chunk that were used before.
  void restore(StateReader& state) {
    const std::uint64_t used = state.number();
    stream_->restore(state);
    for (std::uint64_t left = used; left > 0 && has_rows();) {
      const std::size_t skipped = std::min<std::uint64_t>(left, this->left());
      skip(skipped);
      left -= skipped;
    }
    pass_lost(lost_before(used_));
    lost_.clear();  // They were reported before the state was saved.
  }

 private:
  // Returns the number of lost rows of the chunk that come before the last of its first `rows` rows.
  std::size_t lost_before(std::size_t rows) const {
    std::size_t count = lost_passed_;
    while (count < lost_of_chunk_.size() && lost_of_chunk_[count].index < rows + count) ++count;
    return count;
  }
  // Moves the first `end` lost rows of the chunk to lost_, except those that were moved before.
  void pass_lost(std::size_t end) {
    for (; lost_passed_ < end; ++lost_passed_) lost_.push_back(std::move(lost_of_chunk_[lost_passed_]));
  }

  StreamPtr stream_;
  StateWriter before_;  // the stream's state before the current chunk
  Rows chunk_;
  std::size_t used_ = 0;             // number of used rows of the chunk
  std::vector<Lost> lost_of_chunk_;  // all lost rows of the chunk
  std::size_t lost_passed_ = 0;      // number of them that were moved to lost_
  std::vector<Lost> lost_;           // take_lost() will report them.
  bool chunk_is_cut_ = false;        // Reading stops after the chunk.
  bool is_at_empty_batch_ = false;   // The chunk is a batch without rows that was not passed yet.
  bool is_stopped_ = false;          // has_rows() has returned false for that reason.
};

}  // namespace carrack::data
