// Stages of one stream: batched, cut, sharded, repeated.
#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/streams/cursor.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {
namespace {

class BatchedStream final : public Stream {
 public:
  BatchedStream(StreamPtr of, BatchOptions options) : rows_(std::move(of)), options_(options) {}

  std::optional<Rows> next() override {
    Rows batch;
    while (batch.count < options_.size && rows_.has_rows())
      rows_.take(std::min<std::uint64_t>(options_.size - batch.count, rows_.left()), batch);
    if (options_.drop_remainder && batch.count < options_.size) batch = {};
    batch.lost = rows_.lost();
    if (batch.count == 0 && batch.lost.empty()) return std::nullopt;
    return batch;
  }
  std::uint64_t batch() const override { return options_.size; }
  void save(StateWriter& state) const override { rows_.save(state); }
  void restore(StateReader& state) override { rows_.restore(state); }

 private:
  Cursor rows_;
  BatchOptions options_;
};

// Gives on some of the elements, which it counts. Batches are elements as they come; rows are cut out of what comes.
class CountedStream : public Stream {
 public:
  explicit CountedStream(StreamPtr of) : batch_(of->batch()), elements_(std::move(of)) {}

  std::optional<Rows> next() final {
    Rows rows;
    while (rows.count == 0 && !is_over() && elements_.has_rows()) {
      const std::uint64_t run = batch_ > 0 ? 1 : elements_.left();
      const std::uint64_t skipped = std::min(skips(), run);
      const std::uint64_t taken = skipped > 0 ? 0 : std::min(takes(), run);
      if (skipped > 0) elements_.skip(batch_ > 0 ? elements_.left() : skipped);
      if (taken > 0) elements_.take(batch_ > 0 ? elements_.left() : taken, rows);
      count_ += skipped + taken;
    }
    rows.lost = elements_.lost();
    if (rows.count == 0 && rows.lost.empty()) return std::nullopt;
    return rows;
  }
  std::uint64_t batch() const final { return batch_; }
  void save(StateWriter& state) const final {
    state.number(count_);
    elements_.save(state);
  }
  void restore(StateReader& state) final {
    count_ = state.number();
    elements_.restore(state);
  }

 protected:
  std::uint64_t count() const { return count_; }  // elements that came

 private:
  // Of the elements that come next, how many are left out, and else how many are given on.
  virtual std::uint64_t skips() const = 0;
  virtual std::uint64_t takes() const = 0;
  virtual bool is_over() const { return false; }

  const std::uint64_t batch_;
  Cursor elements_;
  std::uint64_t count_ = 0;
};

class CutStream final : public CountedStream {
 public:
  CutStream(StreamPtr of, std::uint64_t skip, std::uint64_t take)
      : CountedStream(std::move(of)), begin_(skip), end_(skip + std::min(take, endless)) {}

 private:
  std::uint64_t skips() const override { return begin_ - std::min(count(), begin_); }
  std::uint64_t takes() const override { return end_ - count(); }
  bool is_over() const override { return count() >= end_; }

  const std::uint64_t begin_, end_;
};

class ShardedStream final : public CountedStream {
 public:
  ShardedStream(StreamPtr of, std::uint64_t shards, std::uint64_t index)
      : CountedStream(std::move(of)), shards_(shards), index_(index) {}

 private:
  std::uint64_t skips() const override { return (index_ + shards_ - count() % shards_) % shards_; }
  std::uint64_t takes() const override { return 1; }

  const std::uint64_t shards_, index_;
};

class RepeatedStream final : public Stream {
 public:
  RepeatedStream(OpenStream make, std::uint64_t times) : make_(std::move(make)), times_(times), stream_(make_(0)) {}

  std::optional<Rows> next() override {
    for (; epoch_ < times_; ++epoch_, stream_ = make_(epoch_), any_ = false) {
      std::optional<Rows> rows = stream_->next();
      if (rows) {
        any_ = any_ || rows->count > 0;
        return rows;
      }
      if (!any_ && !began_inside_) return std::nullopt;  // Nothing repeated is nothing.
      began_inside_ = false;
      if (epoch_ + 1 == times_) return std::nullopt;
    }
    return std::nullopt;
  }
  std::uint64_t batch() const override { return stream_->batch(); }
  void save(StateWriter& state) const override {
    state.number(epoch_);
    stream_->save(state);
  }
  void restore(StateReader& state) override {
    epoch_ = state.number();
    if (epoch_ >= std::max<std::uint64_t>(times_, 1)) throw Error("the state of the pipeline is damaged");
    stream_ = make_(epoch_);
    stream_->restore(state);
    began_inside_ = true;
  }

 private:
  const OpenStream make_;
  const std::uint64_t times_;
  std::uint64_t epoch_ = 0;
  StreamPtr stream_;
  bool any_ = false;
  bool began_inside_ = false;  // of an epoch, which may have given rows before
};

}  // namespace

StreamPtr batched(StreamPtr of, BatchOptions options) {
  if (options.size == 0) throw Error("batch: a batch holds at least one row");
  return std::make_unique<BatchedStream>(std::move(of), options);
}

StreamPtr cut(StreamPtr of, std::uint64_t skip, std::uint64_t take) {
  return std::make_unique<CutStream>(std::move(of), skip, take);
}

StreamPtr sharded(StreamPtr of, std::uint64_t count, std::uint64_t index) {
  sharded(std::uint64_t{0}, count, index);  // Refuses what makes no sense.
  return std::make_unique<ShardedStream>(std::move(of), count, index);
}

StreamPtr repeated(OpenStream make, std::uint64_t times) {
  return std::make_unique<RepeatedStream>(std::move(make), times);
}

}  // namespace carrack::data
