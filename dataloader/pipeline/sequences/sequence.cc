#include "dataloader/pipeline/sequences/sequence.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// The places of a call that one of several sequences has.
struct Part {
  std::vector<Place> places;
  std::vector<std::size_t> indexes;  // of each among the places of the call
};

// Reads each part from its sequence and returns the rows in the order of the call's places.
Rows read_parts(const std::vector<Sequence>& sequences, const std::vector<Part>& parts) {
  struct Row {
    std::size_t index, part, row;
  };
  std::vector<Rows> read;
  std::vector<Row> rows;
  Rows all;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    read.push_back(parts[part].places.empty() ? Rows{} : sequences[part].read(parts[part].places));
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

std::uint64_t mean_element_bytes(const std::vector<Sequence>& sequences) {
  double bytes = 0, elements = 0;
  for (const Sequence& one : sequences) {
    const auto size = static_cast<double>(one.size());
    bytes += size * static_cast<double>(one.element_bytes());
    elements += size;
  }
  return elements > 0 ? static_cast<std::uint64_t>(bytes / elements) : 0;
}

// Several sequences of which `find` names one for each number of a place: concatenated, interleaved or mixed.
template <typename Find>
Sequence gathered(std::vector<Sequence> inputs, std::uint64_t size, Find find) {
  const SequenceShape shape{.size = size, .element_bytes = mean_element_bytes(inputs)};
  return {shape, [inputs = std::move(inputs), find = std::move(find)](std::span<const Place> places) {
            std::vector<Part> parts(inputs.size());
            for (std::size_t i = 0; i < places.size(); ++i) {
              const auto [sequence, number] = find(places[i].number);
              parts[sequence].places.push_back({places[i].epoch, number});
              parts[sequence].indexes.push_back(i);
            }
            for (std::size_t i = 0; i < parts.size(); ++i)
              if (parts[i].places.size() == places.size()) return inputs[i].read(parts[i].places);
            return read_parts(inputs, parts);
          }};
}

std::vector<std::uint64_t> sizes_of(const std::vector<Sequence>& sequences) {
  std::vector<std::uint64_t> sizes;
  for (const Sequence& sequence : sequences) sizes.push_back(sequence.size());
  return sizes;
}

// Adds the columns of one input, without the rows that another input has lost.
void add_kept(Rows& rows, const std::vector<bool>& kept, Rows& all) {
  std::vector<bool> is_lost(kept.size()), kept_here;
  for (const Lost& lost : rows.lost) is_lost[lost.index] = true;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (!is_lost[i]) kept_here.push_back(kept[i]);
  filter_rows(rows, kept_here);
  add_columns(all, std::move(rows));
}

}  // namespace

Sequence reordered(Sequence input, Reorder order) {
  SequenceShape shape = input.shape();
  shape.size = order.size;
  return {shape, [input = std::move(input), trace = std::move(order.trace)](std::span<const Place> places) {
            std::vector<Place> traced(places.begin(), places.end());
            trace(traced);
            return input.read(traced);
          }};
}

Sequence mapped(Sequence input, RowsFunction function) {
  const SequenceShape shape = input.shape();
  return {shape, [input = std::move(input), function = std::move(function)](std::span<const Place> places) {
            Rows rows = input.read(places);
            if (rows.count > 0) function(rows);
            return rows;
          }};
}

Sequence concatenated(std::vector<Sequence> inputs) {
  std::vector<std::uint64_t> ends = sizes_of(inputs);
  if (std::ranges::max(ends) >= endless) throw Error("concatenate: what is behind an endless input would never come");
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::uint64_t size = ends.back();
  return gathered(std::move(inputs), size, [ends = std::move(ends)](std::uint64_t number) {
    const auto sequence = static_cast<std::size_t>(std::ranges::upper_bound(ends, number) - ends.begin());
    return Interleave::Element{sequence, number - (sequence > 0 ? ends[sequence - 1] : 0)};
  });
}

Sequence interleaved(std::vector<Sequence> inputs, std::uint64_t cycle, std::uint64_t block) {
  const Interleave order(sizes_of(inputs), cycle, block);
  return gathered(std::move(inputs), order.size(), [order](std::uint64_t number) { return order.at(number); });
}

Sequence mixed(std::vector<Sequence> inputs, const std::vector<double>& weights, const Random& random) {
  const Mix order(sizes_of(inputs), weights, random);
  return gathered(std::move(inputs), order.size(), [order](std::uint64_t number) { return order.at(number); });
}

Sequence zipped(std::vector<Sequence> inputs) {
  const SequenceShape shape{.size = std::ranges::min(sizes_of(inputs))};
  return {shape, [inputs = std::move(inputs)](std::span<const Place> places) {
            std::vector<Rows> read;
            std::vector<bool> kept(places.size(), true);
            Rows all;
            for (const Sequence& sequence : inputs) {
              read.push_back(sequence.read(places));
              for (const Lost& lost : read.back().lost) {
                if (kept[lost.index]) all.lost.push_back(lost);
                kept[lost.index] = false;
              }
            }
            for (Rows& rows : read) add_kept(rows, kept, all);
            std::ranges::sort(all.lost, {}, &Lost::index);
            return all;
          }};
}

Sequence batched(Sequence input, BatchOptions options, BatchShare share) {
  if (options.size == 0) throw Error("batch: a batch holds at least one row");
  if (share.index >= share.count)
    throw Error("batch: there is no share " + std::to_string(share.index) + " of " + std::to_string(share.count));
  const std::uint64_t rows = input.size(), remainder = options.drop_remainder ? 0 : rows % options.size;
  const SequenceShape shape{.size = rows >= endless ? endless : rows / options.size + (remainder > 0 ? 1 : 0),
                            .batch = options.size,
                            .element_bytes = input.element_bytes() * options.size};
  return {shape, [input = std::move(input), size = options.size, share](std::span<const Place> places) {
            std::vector<Place> rows_of_share;
            for (const Place& place : places) {
              const std::uint64_t begin = place.number * size;
              const Range own = lane_of(std::min(size, input.size() - begin), share.count, share.index);
              for (std::uint64_t i = own.begin; i < own.end; ++i) rows_of_share.push_back({place.epoch, begin + i});
            }
            return input.read(rows_of_share);
          }};
}

}  // namespace carrack::data
