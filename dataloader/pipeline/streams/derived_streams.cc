#include "dataloader/pipeline/streams/derived_streams.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/error.h"
#include "dataloader/pipeline/rows/row_bytes.h"
#include "dataloader/pipeline/streams/cursor.h"

namespace carrack::data {
namespace {

class BatchedStream final : public Stream {
 public:
  BatchedStream(StreamPtr input, BatchOptions options) : rows_(std::move(input)), options_(options) {}

  std::optional<Rows> next() override {
    Rows batch;
    while (batch.count < options_.size && rows_.has_rows())
      rows_.take(std::min<std::uint64_t>(options_.size - batch.count, rows_.left()), batch);
    if (options_.drop_remainder && batch.count < options_.size) batch = {};
    batch.is_batch = batch.count > 0;
    rows_.take_lost(batch);
    return unless_empty(std::move(batch));
  }
  std::uint64_t batch() const override { return options_.size; }
  void save(StateWriter& state) const override { rows_.save(state); }
  void restore(StateReader& state) override { rows_.restore(state); }

 private:
  Cursor rows_;
  BatchOptions options_;
};

// Returns only the elements of its input that are in the range, such as every third one. An element is a batch if the
// input has batches, and otherwise a row.
class RangedStream final : public Stream {
 public:
  RangedStream(StreamPtr input, ElementRange range)
      : batch_(input->batch()), range_(range), elements_(std::move(input)) {}

  std::optional<Rows> next() override {
    Rows rows;
    while (rows.count == 0 && !rows.is_batch && count_ < range_.end && elements_.has_rows()) {
      const std::uint64_t run = batch_ > 0 ? 1 : elements_.left();
      const std::uint64_t skipped = std::min(elements_to_skip(), run);
      const std::uint64_t taken = skipped > 0 ? 0 : std::min(elements_to_take(), run);
      CHECK_GT(skipped + taken, 0u);  // Otherwise this loop would not end.
      if (skipped > 0) elements_.skip(batch_ > 0 ? elements_.left() : skipped);
      if (taken > 0) elements_.take(batch_ > 0 ? elements_.left() : taken, rows);
      count_ += skipped + taken;
    }
    elements_.take_lost(rows);
    return unless_empty(std::move(rows));
  }
  std::uint64_t batch() const override { return batch_; }
  void save(StateWriter& state) const override {
    state.number(count_);
    elements_.save(state);
  }
  void restore(StateReader& state) override {
    count_ = state.number();
    elements_.restore(state);
  }

 private:
  // Returns how many of the next elements to leave out. If that is 0, elements_to_take() returns how many to pass on.
  std::uint64_t elements_to_skip() const {
    if (count_ < range_.begin) return range_.begin - count_;
    return (range_.step - (count_ - range_.begin) % range_.step) % range_.step;
  }
  std::uint64_t elements_to_take() const { return range_.step == 1 ? range_.end - count_ : 1; }

  const std::uint64_t batch_;
  const ElementRange range_;
  Cursor elements_;
  std::uint64_t count_ = 0;  // elements of the input that were passed on or left out
};

class RepeatedStream final : public Stream {
 public:
  RepeatedStream(OpenStream open, std::uint64_t times, bool is_shared)
      : open_(std::move(open)), times_(times), is_shared_(is_shared), stream_(open_(0)) {}

  std::optional<Rows> next() override {
    for (; epoch_ < times_; ++epoch_, stream_ = open_(epoch_), had_rows_ = false) {
      std::optional<Rows> rows = stream_->next();
      if (rows) {
        had_rows_ = had_rows_ || rows->count > 0 || (is_shared_ && rows->is_batch);
        return rows;
      }
      if (!had_rows_ && !was_restored_) return std::nullopt;  // Otherwise epochs without rows would repeat forever.
      was_restored_ = false;
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
    stream_ = open_(epoch_);
    stream_->restore(state);
    was_restored_ = true;
  }

 private:
  const OpenStream open_;
  const std::uint64_t times_;
  const bool is_shared_;
  std::uint64_t epoch_ = 0;
  StreamPtr stream_;
  bool had_rows_ = false;      // whether this epoch has had rows, perhaps only for other readers
  bool was_restored_ = false;  // whether this epoch was restored, and so may have had rows before
};

// Shuffles rows through a buffer: returns a random row of the buffer, and refills the buffer from its input.
class ShuffledStream final : public Stream {
 public:
  ShuffledStream(StreamPtr input, std::uint64_t buffer, const Random& random, std::uint64_t epoch)
      : input_(std::move(input)), size_(buffer), random_(random), epoch_(epoch) {}

  std::optional<Rows> next() override {
    constexpr std::size_t rows_at_once = 256;
    Rows rows;
    while (rows.count < rows_at_once) {
      fill(rows);
      if (buffer_.empty()) break;
      const std::uint64_t drawn = random_.bits(epoch_, returned_++) % buffer_.size();
      const Row row = std::exchange(buffer_[drawn], buffer_.back());
      buffer_.pop_back();
      append(rows, *row.chunk, {row.number, row.number + 1});
    }
    return unless_empty(std::move(rows));
  }
  void save(StateWriter& state) const override {
    state.number(returned_);
    // Most states are never stored. So this copies only pointers, and makes the bytes when the state is stored.
    state.text_later([rows = buffer_] {
      Rows held;
      for (const Row& row : rows) append(held, *row.chunk, {row.number, row.number + 1});
      return rows_to_bytes(held);
    });
    input_.save(state);
  }
  void restore(StateReader& state) override {
    returned_ = state.number();
    const auto held = std::make_shared<const Rows>(rows_from_bytes(state.text()));
    for (std::size_t row = 0; row < held->count; ++row) buffer_.push_back({held, row});
    input_.restore(state);
  }

 private:
  // A row in the buffer. It is copied only when it is returned. Its chunk remains until no row of it is in the buffer.
  struct Row {
    std::shared_ptr<const Rows> chunk;
    std::size_t number = 0;
  };

  void fill(Rows& rows) {
    while (buffer_.size() < size_ && input_.has_rows()) {
      Rows taken;
      input_.take(std::min<std::uint64_t>(size_ - buffer_.size(), input_.left()), taken);
      const auto chunk = std::make_shared<const Rows>(std::move(taken));
      for (std::size_t row = 0; row < chunk->count; ++row) buffer_.push_back({chunk, row});
    }
    // If reading stops at damage, reports the damage only once the buffer is empty, so that all rows before it are
    // returned first.
    input_.take_lost(rows, buffer_.empty());
  }

  Cursor input_;
  const std::uint64_t size_;
  const Random random_;
  const std::uint64_t epoch_;
  std::uint64_t returned_ = 0;
  std::vector<Row> buffer_;
};

// Cuts each result at its first lost row. After such a result, saves the state before it, so that a restored stream
// comes to the damage again. The state of the input may already be beyond the damage.
class CutStream final : public Stream {
 public:
  explicit CutStream(StreamPtr input) : input_(std::move(input)) {}

  std::optional<Rows> next() override {
    StateWriter before;
    input_->save(before);
    std::optional<Rows> rows = input_->next();
    if (rows) cut_at_first_lost(*rows);
    if (rows && rows->is_cut) before_ = std::move(before);
    return rows;
  }
  std::uint64_t batch() const override { return input_->batch(); }
  void save(StateWriter& state) const override {
    if (before_)
      state.append(*before_);
    else
      input_->save(state);
  }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  StreamPtr input_;
  std::optional<StateWriter> before_;  // the state before the result that was cut; nullopt if none was
};

}  // namespace

OpenStream cut_at_damage(OpenStream open, OnDamage on_damage) {
  if (on_damage == OnDamage::skip) return open;
  return [open = std::move(open)](std::uint64_t epoch) { return std::make_unique<CutStream>(open(epoch)); };
}

StreamPtr batched(StreamPtr input, BatchOptions options) {
  if (options.size == 0) throw Error("batch: a batch holds at least one row");
  return std::make_unique<BatchedStream>(std::move(input), options);
}

StreamPtr ranged(StreamPtr input, ElementRange range) {
  return std::make_unique<RangedStream>(std::move(input), range);
}

StreamPtr repeated(OpenStream open, std::uint64_t times, bool is_shared) {
  return std::make_unique<RepeatedStream>(std::move(open), times, is_shared);
}

StreamPtr shuffled(StreamPtr input, std::uint64_t buffer_rows, const Random& random, std::uint64_t epoch) {
  if (buffer_rows == 0) throw Error("shuffle: a buffer holds at least one element");
  return std::make_unique<ShuffledStream>(std::move(input), buffer_rows, random, epoch);
}

}  // namespace carrack::data
