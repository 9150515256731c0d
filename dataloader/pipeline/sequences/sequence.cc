#include "dataloader/pipeline/sequences/sequence.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

class Reordered final : public Sequence {
 public:
  Reordered(SequencePtr input, Reorder order) : input_(std::move(input)), order_(std::move(order)) {}

  std::uint64_t size() const override { return order_.size; }
  std::uint64_t batch() const override { return input_->batch(); }
  std::uint64_t element_bytes() const override { return input_->element_bytes(); }
  Rows read(std::span<const Place> places) const override {
    std::vector<Place> traced(places.begin(), places.end());
    order_.trace(traced);
    return input_->read(traced);
  }

 private:
  SequencePtr input_;
  Reorder order_;
};

class Mapped final : public Sequence {
 public:
  Mapped(SequencePtr input, RowsFunction function) : input_(std::move(input)), function_(std::move(function)) {}

  std::uint64_t size() const override { return input_->size(); }
  std::uint64_t batch() const override { return input_->batch(); }
  std::uint64_t element_bytes() const override { return input_->element_bytes(); }
  Rows read(std::span<const Place> places) const override {
    Rows rows = input_->read(places);
    if (rows.count > 0) function_(rows);
    return rows;
  }

 private:
  SequencePtr input_;
  RowsFunction function_;
};

// The places of a call that one of several sequences has.
struct Part {
  std::vector<Place> places;
  std::vector<std::size_t> indexes;  // of each among the places of the call
};

// Reads each part from its sequence and returns the rows in the order of the call's places.
Rows gathered(const std::vector<SequencePtr>& sequences, const std::vector<Part>& parts) {
  struct Row {
    std::size_t index, part, row;
  };
  std::vector<Rows> read;
  std::vector<Row> rows;
  Rows all;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    read.push_back(parts[part].places.empty() ? Rows{} : sequences[part]->read(parts[part].places));
    std::vector<bool> is_lost(parts[part].places.size());
    for (Lost& lost : read.back().lost) {
      is_lost[lost.index] = true;
      all.lost.push_back({parts[part].indexes[lost.index], std::move(lost.why)});
    }
    for (std::size_t i = 0, row = 0; i < is_lost.size(); ++i)
      if (!is_lost[i]) rows.push_back({parts[part].indexes[i], part, row++});
  }
  std::ranges::sort(rows, {}, &Row::index);
  std::ranges::sort(all.lost, {}, &Lost::index);
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].part == rows[i].part && rows[end].row == rows[end - 1].row + 1) ++end;
    append(all, read[rows[i].part], {rows[i].row, rows[i].row + end - i});
    i = end;
  }
  return all;
}

// Several sequences of which each place names one: concatenated, interleaved or mixed.
class Gathered final : public Sequence {
 public:
  struct Element {
    std::size_t sequence;
    Place place;
  };
  using Find = std::function<Element(Place)>;

  Gathered(std::vector<SequencePtr> inputs, std::uint64_t size, Find find)
      : inputs_(std::move(inputs)), size_(size), find_(std::move(find)) {}

  std::uint64_t size() const override { return size_; }
  std::uint64_t element_bytes() const override {
    double bytes = 0, elements = 0;
    for (const SequencePtr& one : inputs_) {
      const auto size = static_cast<double>(one->size());
      bytes += size * static_cast<double>(one->element_bytes());
      elements += size;
    }
    return elements > 0 ? static_cast<std::uint64_t>(bytes / elements) : 0;
  }
  Rows read(std::span<const Place> places) const override {
    std::vector<Part> parts(inputs_.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Element element = find_(places[i]);
      parts[element.sequence].places.push_back(element.place);
      parts[element.sequence].indexes.push_back(i);
    }
    const auto all = std::ranges::find_if(parts, [&](const Part& part) { return part.places.size() == places.size(); });
    if (all != parts.end()) return inputs_[static_cast<std::size_t>(all - parts.begin())]->read(all->places);
    return gathered(inputs_, parts);
  }

 private:
  std::vector<SequencePtr> inputs_;
  std::uint64_t size_;
  Find find_;
};

std::vector<std::uint64_t> sizes_of(const std::vector<SequencePtr>& sequences) {
  std::vector<std::uint64_t> sizes;
  for (const SequencePtr& sequence : sequences) sizes.push_back(sequence->size());
  return sizes;
}

class Zipped final : public Sequence {
 public:
  explicit Zipped(std::vector<SequencePtr> inputs) : inputs_(std::move(inputs)) {}

  std::uint64_t size() const override { return std::ranges::min(sizes_of(inputs_)); }
  Rows read(std::span<const Place> places) const override {
    std::vector<Rows> read;
    std::vector<bool> kept(places.size(), true);
    Rows all;
    for (const SequencePtr& sequence : inputs_) {
      read.push_back(sequence->read(places));
      for (Lost& lost : read.back().lost) {
        if (kept[lost.index]) all.lost.push_back(lost);
        kept[lost.index] = false;
      }
    }
    for (Rows& rows : read) add_kept(rows, kept, all);
    std::ranges::sort(all.lost, {}, &Lost::index);
    return all;
  }

 private:
  // Adds the columns of one input, without the rows that another input has lost.
  static void add_kept(Rows& rows, const std::vector<bool>& kept, Rows& all) {
    std::vector<bool> is_lost(kept.size()), kept_here;
    for (const Lost& lost : rows.lost) is_lost[lost.index] = true;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!is_lost[i]) kept_here.push_back(kept[i]);
    filter_rows(rows, kept_here);
    add_columns(all, std::move(rows));
  }

  std::vector<SequencePtr> inputs_;
};

class Batched final : public Sequence {
 public:
  Batched(SequencePtr input, BatchOptions options, BatchShare share)
      : input_(std::move(input)), options_(options), share_(share) {}

  std::uint64_t size() const override {
    if (input_->size() >= endless) return endless;
    return input_->size() / options_.size + (!options_.drop_remainder && input_->size() % options_.size > 0 ? 1 : 0);
  }
  std::uint64_t batch() const override { return options_.size; }
  std::uint64_t element_bytes() const override { return input_->element_bytes() * options_.size; }
  Rows read(std::span<const Place> places) const override {
    std::vector<Place> rows;
    for (const Place& place : places) {
      const std::uint64_t begin = place.number * options_.size;
      const Range share = lane_of(std::min(options_.size, input_->size() - begin), share_.count, share_.index);
      for (std::uint64_t i = share.begin; i < share.end; ++i) rows.push_back({place.epoch, begin + i});
    }
    return input_->read(rows);
  }

 private:
  SequencePtr input_;
  BatchOptions options_;
  BatchShare share_;
};

}  // namespace

SequencePtr reordered(SequencePtr input, Reorder order) {
  return std::make_shared<Reordered>(std::move(input), std::move(order));
}

SequencePtr mapped(SequencePtr input, RowsFunction function) {
  return std::make_shared<Mapped>(std::move(input), std::move(function));
}

SequencePtr concatenated(std::vector<SequencePtr> inputs) {
  std::vector<std::uint64_t> ends = sizes_of(inputs);
  if (std::ranges::max(ends) >= endless) throw Error("concatenate: what is behind an endless input would never come");
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::uint64_t size = ends.back();
  return std::make_shared<Gathered>(std::move(inputs), size, [ends](Place place) {
    const auto sequence = static_cast<std::size_t>(std::ranges::upper_bound(ends, place.number) - ends.begin());
    const std::uint64_t before = sequence > 0 ? ends[sequence - 1] : 0;
    return Gathered::Element{sequence, {place.epoch, place.number - before}};
  });
}

SequencePtr interleaved(std::vector<SequencePtr> inputs, std::uint64_t cycle, std::uint64_t block) {
  Interleave order(sizes_of(inputs), cycle, block);
  const std::uint64_t size = order.size();
  return std::make_shared<Gathered>(std::move(inputs), size, [order = std::move(order)](Place place) {
    const Interleave::Element element = order.at(place.number);
    return Gathered::Element{element.sequence, {place.epoch, element.number}};
  });
}

SequencePtr mixed(std::vector<SequencePtr> inputs, const std::vector<double>& weights, const Random& random) {
  Mix order(sizes_of(inputs), weights, random);
  const std::uint64_t size = order.size();
  return std::make_shared<Gathered>(std::move(inputs), size, [order = std::move(order)](Place place) {
    const Mix::Element element = order.at(place.number);
    return Gathered::Element{element.sequence, {place.epoch, element.number}};
  });
}

SequencePtr zipped(std::vector<SequencePtr> inputs) {
  return std::make_shared<Zipped>(std::move(inputs));
}

SequencePtr batched(SequencePtr input, BatchOptions options, BatchShare share) {
  if (options.size == 0) throw Error("batch: a batch holds at least one row");
  if (share.index >= share.count)
    throw Error("batch: there is no share " + std::to_string(share.index) + " of " + std::to_string(share.count));
  return std::make_shared<Batched>(std::move(input), options, share);
}

}  // namespace carrack::data
