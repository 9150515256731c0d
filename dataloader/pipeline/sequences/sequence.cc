#include "dataloader/pipeline/sequences/sequence.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/rows/runs.h"
#include "dataloader/pipeline/sequences/parts.h"

namespace carrack::data {
namespace {

// The places of a call of read() that are in one of several input sequences.
struct Part {
  std::vector<Place> places;
  std::vector<std::size_t> indexes;  // for each of `places`, its index among the places of the call
};

// Reads each part from its sequence, and returns the rows in the order of the call's places.
Rows read_parts(const std::vector<Sequence>& sequences, const std::vector<Part>& parts) {
  struct Row {
    std::size_t index, part, row;
  };
  std::vector<Rows> read;
  std::vector<Row> rows;
  Rows all;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    read.push_back(parts[part].places.empty() ? Rows{} : sequences[part].read(parts[part].places));
    std::size_t row = 0;
    for (const std::size_t index : indexes_of(read.back())) rows.push_back({parts[part].indexes[index], part, row++});
    for (Lost& lost : read.back().lost) all.lost.push_back({parts[part].indexes[lost.index], std::move(lost.why)});
  }
  std::ranges::sort(rows, {}, &Row::index);
  std::ranges::sort(all.lost, {}, &Lost::index);
  const auto follows = [&](std::size_t i) {
    return rows[i].part == rows[i - 1].part && rows[i].row == rows[i - 1].row + 1;
  };
  for_each_run(rows.size(), follows, [&](Range run) {
    const Row& first = rows[run.begin];
    append(all, read[first.part], {first.row, first.row + run.size()});
  });
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

// Returns a sequence of the elements of several inputs. For the number of a place, order.at() returns the index of the
// input, and the number of the element in that input.
template <typename Order>
Sequence gathered(std::vector<Sequence> inputs, Order order) {
  const SequenceShape shape{.size = order.size(), .element_bytes = mean_element_bytes(inputs)};
  return {shape, [inputs = std::move(inputs), order = std::move(order)](std::span<const Place> places) {
            std::vector<Part> parts(inputs.size());
            for (std::size_t i = 0; i < places.size(); ++i) {
              const auto [sequence, number] = order.at(places[i].number);
              parts[sequence].places.push_back({places[i].epoch, number});
              parts[sequence].indexes.push_back(i);
            }
            // If all places are in one input, its rows are in the right order already.
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

// Appends the columns of `rows`, which one input of zipped() has returned, to `all`. Leaves out the rows whose places
// are false in `selected`: at least one input has lost its row there.
void append_selected(Rows& rows, const std::vector<bool>& selected, Rows& all) {
  std::vector<bool> chosen;
  for (const std::size_t index : indexes_of(rows)) chosen.push_back(selected[index]);
  filter_rows(rows, chosen);
  add_columns(all, std::move(rows));
}

}  // namespace

Sequence reordered(Sequence input, Reorder order) {
  SequenceShape shape = input.shape();
  shape.size = order.size;
  return {shape, [input = std::move(input), order = std::move(order)](std::span<const Place> places) {
            std::vector<Place> of_input(places.begin(), places.end());
            order.to_input_places(of_input);
            return input.read(of_input);
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
  Parts parts;
  for (const Sequence& input : inputs) {
    if (input.size() >= endless) throw Error("concatenate: what follows an endless input would never come");
    parts.add(input.size());
  }
  return gathered(std::move(inputs), std::move(parts));
}

Sequence interleaved(std::vector<Sequence> inputs, std::uint64_t cycle, std::uint64_t block) {
  Interleave order(sizes_of(inputs), cycle, block);
  return gathered(std::move(inputs), std::move(order));
}

Sequence mixed(std::vector<Sequence> inputs, const std::vector<double>& weights, const Random& random) {
  Mix order(sizes_of(inputs), weights, random);
  return gathered(std::move(inputs), std::move(order));
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
            // mapped() calls no function for an input without rows, so the columns of such an input may have other
            // names than those of its rows. If no row is left, returns no columns.
            if (std::ranges::find(std::as_const(kept), true) != kept.cend())
              for (Rows& rows : read) append_selected(rows, kept, all);
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
