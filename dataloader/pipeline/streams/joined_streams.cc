#include "dataloader/pipeline/streams/joined_streams.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/mix.h"
#include "dataloader/pipeline/streams/cursor.h"

namespace carrack::data {
namespace {

// Opens the inputs for epoch 0. A caller that needs another epoch passes functions that ignore this number.
std::vector<Cursor> cursors_of(const std::vector<OpenStream>& inputs) {
  std::vector<Cursor> cursors;
  for (const OpenStream& open : inputs) cursors.emplace_back(open(0));
  return cursors;
}

class Concatenated final : public Stream {
 public:
  explicit Concatenated(const std::vector<OpenStream>& inputs) {
    for (const OpenStream& open : inputs) inputs_.push_back(open(0));
  }

  std::optional<Rows> next() override {
    for (; at_ < inputs_.size(); ++at_)
      if (std::optional<Rows> rows = inputs_[at_]->next()) return rows;
    return std::nullopt;
  }
  void save(StateWriter& state) const override {
    state.number(at_);
    if (at_ < inputs_.size()) inputs_[at_]->save(state);
  }
  void restore(StateReader& state) override {
    at_ = std::min<std::uint64_t>(state.number(), inputs_.size());
    if (at_ < inputs_.size()) inputs_[at_]->restore(state);
  }

 private:
  std::vector<StreamPtr> inputs_;
  std::size_t at_ = 0;
};

// Returns rows of its inputs in turns, by the rules in order/interleave.h. In contrast to Interleave, it does not know
// in advance how many rows an input has.
class Interleaved final : public Stream {
 public:
  Interleaved(std::vector<OpenStream> inputs, std::uint64_t cycle, std::uint64_t block)
      : inputs_(std::move(inputs)),
        block_(block),
        slots_(std::min<std::uint64_t>(cycle, std::max<std::size_t>(inputs_.size(), 1))) {}

  std::optional<Rows> next() override {
    constexpr std::size_t rows_at_once = 256;
    Rows rows;
    for (std::size_t idle = 0; idle < slots_.size() && rows.count < rows_at_once;) {
      Slot& slot = slots_[at_];
      if (!slot.rows && opened_ < inputs_.size()) {
        begin(slot, opened_++);
        idle = 0;
      }
      if (slot.rows && slot.rows->has_rows()) {
        const std::size_t taken = std::min<std::uint64_t>(block_ - in_block_, slot.rows->left());
        slot.rows->take(taken, rows);
        in_block_ += taken;
        if (in_block_ == block_) advance();
        continue;
      }
      if (slot.rows) {
        slot.rows->take_lost(rows);
        if (rows.is_cut) return rows;
        slot.rows.reset();
      } else {
        ++idle;
      }
      advance();
    }
    for (Slot& slot : slots_)
      if (slot.rows) slot.rows->take_lost(rows);
    return unless_empty(std::move(rows));
  }
  void save(StateWriter& state) const override {
    state.number(opened_);
    state.number(at_);
    state.number(in_block_);
    for (const Slot& slot : slots_) {
      state.number(slot.rows ? slot.number + 1 : 0);
      if (slot.rows) slot.rows->save(state);
    }
  }
  void restore(StateReader& state) override {
    opened_ = std::min<std::uint64_t>(state.number(), inputs_.size());
    at_ = std::min<std::uint64_t>(state.number(), slots_.size() - 1);
    in_block_ = std::min(state.number(), block_ - 1);
    for (Slot& slot : slots_) {
      const std::uint64_t number = state.number();
      if (number == 0) continue;
      if (number > inputs_.size()) throw Error("the state of the pipeline is damaged");
      begin(slot, number - 1);
      slot.rows->restore(state);
    }
  }

 private:
  struct Slot {
    std::size_t number = 0;
    std::optional<Cursor> rows;
  };

  void begin(Slot& slot, std::size_t number) {
    slot.number = number;
    slot.rows.emplace(inputs_[number](0));
  }
  void advance() {
    at_ = (at_ + 1) % slots_.size();
    in_block_ = 0;
  }

  const std::vector<OpenStream> inputs_;
  const std::uint64_t block_;
  std::vector<Slot> slots_;
  std::size_t opened_ = 0;
  std::size_t at_ = 0;
  std::uint64_t in_block_ = 0;
};

// Chooses the input of each row as order/mix.h describes. Ends when the input whose turn it is has no row left.
class Mixed final : public Stream {
 public:
  Mixed(const std::vector<OpenStream>& inputs, Mix order) : rows_(cursors_of(inputs)), order_(std::move(order)) {}

  std::optional<Rows> next() override {
    constexpr std::size_t rows_at_once = 256;
    Rows rows;
    while (rows.count < rows_at_once) {
      Cursor& cursor = rows_[order_.at(place_).sequence];
      if (!cursor.has_rows()) break;
      cursor.take(1, rows);
      ++place_;
    }
    for (Cursor& cursor : rows_) cursor.take_lost(rows);
    return unless_empty(std::move(rows));
  }
  void save(StateWriter& state) const override {
    state.number(place_);
    for (const Cursor& cursor : rows_) cursor.save(state);
  }
  void restore(StateReader& state) override {
    place_ = state.number();
    for (Cursor& cursor : rows_) cursor.restore(state);
  }

 private:
  std::vector<Cursor> rows_;
  Mix order_;
  std::uint64_t place_ = 0;
};

class ZippedStream final : public Stream {
 public:
  explicit ZippedStream(const std::vector<OpenStream>& inputs) : rows_(cursors_of(inputs)) {}

  std::optional<Rows> next() override {
    Rows all;
    std::size_t count = std::numeric_limits<std::size_t>::max();
    for (Cursor& cursor : rows_) {
      const bool more = cursor.has_rows();
      cursor.take_lost(all);
      count = std::min(count, more ? cursor.left() : 0);
    }
    if (count == 0) return unless_empty(std::move(all));
    for (Cursor& cursor : rows_) {
      Rows part;
      cursor.take(count, part);
      cursor.take_lost(all);
      add_columns(all, std::move(part));
    }
    return all;
  }
  void save(StateWriter& state) const override {
    for (const Cursor& cursor : rows_) cursor.save(state);
  }
  void restore(StateReader& state) override {
    for (Cursor& cursor : rows_) cursor.restore(state);
  }

 private:
  std::vector<Cursor> rows_;
};

}  // namespace

StreamPtr concatenated(const std::vector<OpenStream>& inputs) {
  return std::make_unique<Concatenated>(inputs);
}

StreamPtr interleaved(std::vector<OpenStream> inputs, std::uint64_t cycle, std::uint64_t block) {
  if (cycle == 0 || block == 0) throw Error("interleave: a cycle and a block hold at least one");
  return std::make_unique<Interleaved>(std::move(inputs), cycle, block);
}

StreamPtr mixed(const std::vector<OpenStream>& inputs, const std::vector<double>& weights, const Random& random) {
  Mix order(std::vector<std::uint64_t>(inputs.size(), endless), weights, random);
  return std::make_unique<Mixed>(inputs, std::move(order));
}

StreamPtr zipped(const std::vector<OpenStream>& inputs) {
  return std::make_unique<ZippedStream>(inputs);
}

}  // namespace carrack::data
