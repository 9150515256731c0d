#include "dataloader/pipeline/sequences/sequence.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

class Reordered final : public Sequence {
 public:
  Reordered(SequencePtr of, Reorder order) : of_(std::move(of)), order_(std::move(order)) {}

  std::uint64_t size() const override { return order_.size; }
  std::uint64_t batch() const override { return of_->batch(); }
  std::uint64_t element_bytes() const override { return of_->element_bytes(); }
  Rows read(std::span<const Place> places) const override {
    std::vector<Place> traced(places.begin(), places.end());
    order_.trace(traced);
    return of_->read(traced);
  }

 private:
  SequencePtr of_;
  Reorder order_;
};

class Mapped final : public Sequence {
 public:
  Mapped(SequencePtr of, RowsFunction function) : of_(std::move(of)), function_(std::move(function)) {}

  std::uint64_t size() const override { return of_->size(); }
  std::uint64_t batch() const override { return of_->batch(); }
  std::uint64_t element_bytes() const override { return of_->element_bytes(); }
  Rows read(std::span<const Place> places) const override {
    Rows rows = of_->read(places);
    if (rows.count > 0) function_(rows);
    return rows;
  }

 private:
  SequencePtr of_;
  RowsFunction function_;
};

// Where each of several sequences has a part of what is asked for.
struct Part {
  std::vector<Place> places;
  std::vector<std::size_t> asked;  // the number of each among those asked for
};

// Reads each part from its sequence, and puts the rows in the order in which they were asked for.
Rows gathered(const std::vector<SequencePtr>& sequences, const std::vector<Part>& parts) {
  struct Row {
    std::size_t asked, part, row;
  };
  std::vector<Rows> read;
  std::vector<Row> rows;
  Rows all;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    read.push_back(parts[part].places.empty() ? Rows{} : sequences[part]->read(parts[part].places));
    std::vector<bool> is_lost(parts[part].places.size());
    for (Lost& lost : read.back().lost) {
      is_lost[lost.asked] = true;
      all.lost.push_back({parts[part].asked[lost.asked], std::move(lost.why)});
    }
    for (std::size_t i = 0, row = 0; i < is_lost.size(); ++i)
      if (!is_lost[i]) rows.push_back({parts[part].asked[i], part, row++});
  }
  std::ranges::sort(rows, {}, &Row::asked);
  std::ranges::sort(all.lost, {}, &Lost::asked);
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].part == rows[i].part && rows[end].row == rows[end - 1].row + 1) ++end;
    append(all, read[rows[i].part], {rows[i].row, rows[i].row + end - i});
    i = end;
  }
  return all;
}

// Any sequences of which each place names one: concatenated, interleaved, mixed.
class Gathered final : public Sequence {
 public:
  struct Element {
    std::size_t sequence;
    Place place;
  };
  using Find = std::function<Element(Place)>;

  Gathered(std::vector<SequencePtr> of, std::uint64_t size, Find find)
      : of_(std::move(of)), size_(size), find_(std::move(find)) {}

  std::uint64_t size() const override { return size_; }
  std::uint64_t element_bytes() const override {
    double bytes = 0, elements = 0;
    for (const SequencePtr& one : of_) {
      const auto size = static_cast<double>(one->size());
      bytes += size * static_cast<double>(one->element_bytes());
      elements += size;
    }
    return elements > 0 ? static_cast<std::uint64_t>(bytes / elements) : 0;
  }
  Rows read(std::span<const Place> places) const override {
    std::vector<Part> parts(of_.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Element element = find_(places[i]);
      parts[element.sequence].places.push_back(element.place);
      parts[element.sequence].asked.push_back(i);
    }
    const auto all = std::ranges::find_if(parts, [&](const Part& part) { return part.places.size() == places.size(); });
    if (all != parts.end()) return of_[static_cast<std::size_t>(all - parts.begin())]->read(all->places);
    return gathered(of_, parts);
  }

 private:
  std::vector<SequencePtr> of_;
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
  explicit Zipped(std::vector<SequencePtr> of) : of_(std::move(of)) {}

  std::uint64_t size() const override { return std::ranges::min(sizes_of(of_)); }
  Rows read(std::span<const Place> places) const override {
    std::vector<Rows> read;
    std::vector<bool> kept(places.size(), true);
    Rows all;
    for (const SequencePtr& sequence : of_) {
      read.push_back(sequence->read(places));
      for (Lost& lost : read.back().lost) {
        if (kept[lost.asked]) all.lost.push_back(lost);
        kept[lost.asked] = false;
      }
    }
    for (Rows& rows : read) take(rows, kept, all);
    std::ranges::sort(all.lost, {}, &Lost::asked);
    return all;
  }

 private:
  // The rows of one that all have.
  static void take(Rows& rows, const std::vector<bool>& kept, Rows& all) {
    std::vector<bool> is_lost(kept.size()), kept_here;
    for (const Lost& lost : rows.lost) is_lost[lost.asked] = true;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!is_lost[i]) kept_here.push_back(kept[i]);
    keep(rows, kept_here);
    put_beside(all, std::move(rows));
  }

  std::vector<SequencePtr> of_;
};

class Batched final : public Sequence {
 public:
  Batched(SequencePtr of, BatchOptions options, BatchShare share)
      : of_(std::move(of)), options_(options), share_(share) {}

  std::uint64_t size() const override {
    if (of_->size() >= endless) return endless;
    return of_->size() / options_.size + (!options_.drop_remainder && of_->size() % options_.size > 0 ? 1 : 0);
  }
  std::uint64_t batch() const override { return options_.size; }
  std::uint64_t element_bytes() const override { return of_->element_bytes() * options_.size; }
  Rows read(std::span<const Place> places) const override {
    std::vector<Place> rows;
    for (const Place& place : places) {
      const std::uint64_t begin = place.number * options_.size;
      const Range share = lane_of(std::min(options_.size, of_->size() - begin), share_.of, share_.index);
      for (std::uint64_t i = share.begin; i < share.end; ++i) rows.push_back({place.epoch, begin + i});
    }
    return of_->read(rows);
  }

 private:
  SequencePtr of_;
  BatchOptions options_;
  BatchShare share_;
};

}  // namespace

SequencePtr reordered(SequencePtr of, Reorder order) {
  return std::make_shared<Reordered>(std::move(of), std::move(order));
}

SequencePtr mapped(SequencePtr of, RowsFunction function) {
  return std::make_shared<Mapped>(std::move(of), std::move(function));
}

SequencePtr concatenated(std::vector<SequencePtr> of) {
  std::vector<std::uint64_t> ends = sizes_of(of);
  if (std::ranges::max(ends) >= endless) throw Error("concatenate: what is behind an endless input would never come");
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::uint64_t size = ends.back();
  return std::make_shared<Gathered>(std::move(of), size, [ends](Place place) {
    const auto sequence = static_cast<std::size_t>(std::ranges::upper_bound(ends, place.number) - ends.begin());
    const std::uint64_t before = sequence > 0 ? ends[sequence - 1] : 0;
    return Gathered::Element{sequence, {place.epoch, place.number - before}};
  });
}

SequencePtr interleaved(std::vector<SequencePtr> of, std::uint64_t cycle, std::uint64_t block) {
  Interleave order(sizes_of(of), cycle, block);
  const std::uint64_t size = order.size();
  return std::make_shared<Gathered>(std::move(of), size, [order = std::move(order)](Place place) {
    const Interleave::Element element = order.at(place.number);
    return Gathered::Element{element.sequence, {place.epoch, element.number}};
  });
}

SequencePtr mixed(std::vector<SequencePtr> of, const std::vector<double>& weights, const Random& random) {
  Mix order(sizes_of(of), weights, random);
  const std::uint64_t size = order.size();
  return std::make_shared<Gathered>(std::move(of), size, [order = std::move(order)](Place place) {
    const Mix::Element element = order.at(place.number);
    return Gathered::Element{element.sequence, {place.epoch, element.number}};
  });
}

SequencePtr zipped(std::vector<SequencePtr> of) {
  return std::make_shared<Zipped>(std::move(of));
}

SequencePtr batched(SequencePtr of, BatchOptions options, BatchShare share) {
  if (options.size == 0) throw Error("batch: a batch holds at least one row");
  if (share.index >= share.of)
    throw Error("batch: there is no share " + std::to_string(share.index) + " of " + std::to_string(share.of));
  return std::make_shared<Batched>(std::move(of), options, share);
}

}  // namespace carrack::data
