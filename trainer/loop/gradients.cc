#include "trainer/loop/gradients.h"

#include <algorithm>

#include "trainer/error.h"

namespace carrack::train {
namespace {

FeatureValues rows_of(const data::NamedColumn& column, data::Range rows, std::size_t row_size) {
  const std::size_t begin = rows.begin * row_size;
  const std::size_t count = rows.size() * row_size;
  if (const auto* floats = std::get_if<data::LargeVector<float>>(&column.values))
    return std::span(*floats).subspan(begin, count);
  return std::span(std::get<data::LargeVector<std::int64_t>>(column.values)).subspan(begin, count);
}

}  // namespace

LaneGradients::LaneGradients(const Setup& setup, Input& input, bool deterministic)
    : input_(input),
      executor_(gradients(setup.model.graph, setup.model.loss), setup.layout,
                static_cast<std::int64_t>(std::min(input.order().batching().batch, input.order().records()))),
      size_(static_cast<std::size_t>(setup.layout.size())),
      deterministic_(deterministic) {
  for (const data::Feature& feature : setup.features) row_sizes_.push_back(feature.count);
}

std::vector<Gradient> LaneGradients::of(std::uint64_t batch, Range lanes, const std::vector<float>& parameters) {
  const auto first = static_cast<std::uint64_t>(lanes.begin);
  const data::Batch records = input_.read(batch, {first, static_cast<std::uint64_t>(lanes.end)});
  std::vector<Gradient> all;
  for (const Subtree subtree : aligned_subtrees(lanes)) all.push_back(of_subtree(records, subtree, first, parameters));
  return all;
}

Gradient LaneGradients::of_subtree(const data::Batch& batch, Subtree lanes, std::size_t first_lane,
                                   const std::vector<float>& parameters) {
  const std::size_t begin = static_cast<std::size_t>(lanes.begin) - first_lane;
  const std::size_t end = begin + static_cast<std::size_t>(lanes.size);
  if (!deterministic_ || lanes.size == 1) {
    Gradient gradient = sum_over(batch, {batch.lanes[begin].begin, batch.lanes[end - 1].end}, parameters);
    gradient.lanes = lanes;
    return gradient;
  }
  const int half = lanes.size / 2;
  Gradient left = of_subtree(batch, {lanes.begin, half}, first_lane, parameters);
  const Gradient right = of_subtree(batch, {lanes.begin + half, half}, first_lane, parameters);
  auto sum = std::make_shared<std::vector<float>>(*left.sum);
  for (std::size_t i = 0; i < sum->size(); ++i) (*sum)[i] += (*right.sum)[i];
  return {lanes, std::move(sum), left.records + right.records, left.loss + right.loss};
}

Gradient LaneGradients::sum_over(const data::Batch& batch, data::Range rows, const std::vector<float>& parameters) {
  std::vector<FeatureValues> inputs;
  for (std::size_t i = 0; i < batch.rows.columns.size(); ++i) {
    inputs.push_back(rows_of(batch.rows.columns[i], rows, row_sizes_[i]));
  }
  auto sum = std::make_shared<std::vector<float>>(size_);
  const float loss = executor_.run(parameters, inputs, static_cast<std::int64_t>(rows.size()), *sum);
  return {{}, std::move(sum), rows.size(), loss};
}

}  // namespace carrack::train
