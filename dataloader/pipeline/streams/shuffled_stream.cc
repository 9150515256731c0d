#include "dataloader/pipeline/streams/shuffled_stream.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/rows/row_bytes.h"
#include "dataloader/pipeline/streams/cursor.h"

namespace carrack::data {
namespace {

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
  // Rows are copied only when they are returned. A chunk is kept until none of its rows is in the buffer.
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
    input_.take_lost(rows);
  }

  Cursor input_;
  const std::uint64_t size_;
  const Random random_;
  const std::uint64_t epoch_;
  std::uint64_t returned_ = 0;
  std::vector<Row> buffer_;
};

}  // namespace

StreamPtr shuffled(StreamPtr input, std::uint64_t buffer_rows, const Random& random, std::uint64_t epoch) {
  if (buffer_rows == 0) throw Error("shuffle: a buffer holds at least one element");
  return std::make_unique<ShuffledStream>(std::move(input), buffer_rows, random, epoch);
}

}  // namespace carrack::data
