// A stream shuffled through a buffer of its rows.
#include <algorithm>
#include <memory>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/rows/rows_text.h"
#include "dataloader/pipeline/streams/cursor.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {
namespace {

class ShuffledStream final : public Stream {
 public:
  ShuffledStream(StreamPtr of, std::uint64_t buffer, const Random& random, std::uint64_t epoch)
      : of_(std::move(of)), size_(buffer), random_(random), epoch_(epoch) {}

  std::optional<Rows> next() override {
    constexpr std::size_t enough = 256;
    Rows rows;
    while (rows.count < enough) {
      fill(rows);
      if (buffer_.empty()) break;
      const std::uint64_t drawn = random_.bits(epoch_, given_++) % buffer_.size();
      const Row row = std::exchange(buffer_[drawn], buffer_.back());
      buffer_.pop_back();
      append(rows, *row.chunk, {row.number, row.number + 1});
    }
    if (rows.count == 0 && rows.lost.empty()) return std::nullopt;
    return rows;
  }
  void save(StateWriter& state) const override {
    state.number(given_);
    state.text_later([rows = buffer_] {
      Rows held;
      for (const Row& row : rows) append(held, *row.chunk, {row.number, row.number + 1});
      return text_of(held);
    });
    of_.save(state);
  }
  void restore(StateReader& state) override {
    given_ = state.number();
    const auto held = std::make_shared<const Rows>(rows_from(state.text()));
    for (std::size_t row = 0; row < held->count; ++row) buffer_.push_back({held, row});
    of_.restore(state);
  }

 private:
  // A row is not copied until it is given; its chunk stays as long as one of its rows is here.
  struct Row {
    std::shared_ptr<const Rows> chunk;
    std::size_t number = 0;
  };

  void fill(Rows& rows) {
    while (buffer_.size() < size_ && of_.has_rows()) {
      Rows taken;
      of_.take(std::min<std::uint64_t>(size_ - buffer_.size(), of_.left()), taken);
      const auto chunk = std::make_shared<const Rows>(std::move(taken));
      for (std::size_t row = 0; row < chunk->count; ++row) buffer_.push_back({chunk, row});
    }
    for (Lost& lost : of_.lost()) rows.lost.push_back(std::move(lost));
  }

  Cursor of_;
  const std::uint64_t size_;
  const Random random_;
  const std::uint64_t epoch_;
  std::uint64_t given_ = 0;
  std::vector<Row> buffer_;
};

}  // namespace

StreamPtr shuffled(StreamPtr of, std::uint64_t buffer, const Random& random, std::uint64_t epoch) {
  if (buffer == 0) throw Error("shuffle: a buffer holds at least one element");
  return std::make_unique<ShuffledStream>(std::move(of), buffer, random, epoch);
}

}  // namespace carrack::data
