// How well rows are shuffled that were sorted by a label, as figures of an order: which row, counted as they lay, comes
// at each place. And the orders that there are to choose from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dataloader/order/buffer_order.h"
#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/stages/order_stages.h"

namespace carrack::data {

using RowOrder = std::vector<std::uint64_t>;

// What a seed's first epoch is.
inline RowOrder order_of(const Reorder& order) {
  std::vector<Place> places(order.size);
  for (std::uint64_t i = 0; i < order.size; ++i) places[i] = {0, i};
  order.to_input_places(places);
  RowOrder rows;
  for (const Place& place : places) rows.push_back(place.number);
  return rows;
}

inline RowOrder buffer_order(std::uint64_t size, std::uint64_t buffer, const Random& random) {
  BufferOrder order(size, buffer, random);
  RowOrder rows(size);
  for (std::uint64_t& row : rows) row = order.next().number;
  return rows;
}

// As a shuffle has them that is told nothing but its kind.
inline Blocks default_blocks(std::uint64_t row_bytes) {
  return {Shuffle::block_bytes / row_bytes, Shuffle{}.window};
}

// Of a batch's mix of labels from that of all rows, the mean of all batches: the share of its rows that would have to
// have another label; and its chi-square, which is the number of labels less one where chance alone mixes.
struct LabelMix {
  double off = 0;
  double chi_square = 0;
};

struct Parted {
  // How far apart rows come that lay side by side, and the share of them that still meets in one batch.
  double mean = 0;
  double median = 0;
  double same_batch = 0;
  // How far apart rows lay that come side by side.
  double lay_median = 0;
};

inline double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

inline double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

// How far apart the numbers of neighbours are.
inline std::vector<double> steps_of(const RowOrder& numbers) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    steps.push_back(std::abs(static_cast<double>(numbers[i]) - static_cast<double>(numbers[i - 1])));
  return steps;
}

inline RowOrder inverse(const RowOrder& order) {
  RowOrder places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

// Of rows whose label is the next one after each `run` of them; in whole batches, of which each label fills a share.
inline LabelMix label_mix(const RowOrder& order, std::uint64_t run, std::uint64_t labels, std::uint64_t batch) {
  std::vector<double> off, chi_square;
  const double expected = static_cast<double>(batch) / static_cast<double>(labels);
  for (std::size_t begin = 0; begin < order.size(); begin += batch) {
    std::vector<double> rows(labels);
    for (std::size_t place = begin; place < begin + batch; ++place) ++rows[order[place] / run % labels];
    double away = 0, square = 0;
    for (const double count : rows) {
      away += std::abs(count - expected) / 2;
      square += (count - expected) * (count - expected) / expected;
    }
    off.push_back(away / static_cast<double>(batch));
    chi_square.push_back(square);
  }
  return {mean(off), mean(chi_square)};
}

inline Parted parted(const RowOrder& order, std::uint64_t batch) {
  const RowOrder places = inverse(order);
  const std::vector<double> apart = steps_of(places);
  double together = 0;
  for (std::size_t row = 1; row < places.size(); ++row)
    together += places[row] / batch == places[row - 1] / batch ? 1 : 0;
  return {mean(apart), median(apart), together / static_cast<double>(apart.size()), median(steps_of(order))};
}

}  // namespace carrack::data
