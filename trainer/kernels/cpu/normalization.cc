#include "trainer/kernels/normalization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "trainer/kernels/elementwise.h"
#include "trainer/kernels/sums.h"

namespace carrack::train::cpu {
namespace {

// The maximum number of columns that are computed at the same time, and the minimum for a thread: as many as fit into a
// cache line of 64 bytes, so that threads rarely write to the same line.
constexpr std::int64_t columns_max = 64, columns_min = 16;

using Doubles = std::array<double, columns_max>;
using Floats = std::array<float, columns_max>;

// Some columns of the rows of a lane. `begin` is the index of the first element, and rows are `stride` elements apart.
struct Part {
  std::int64_t begin, rows, columns, stride;
};

// Calls function(element, column) for all elements of the part, row by row.
template <class Function>
void for_each(const Part& part, const Function& function) {
  std::int64_t at = part.begin;
  for (std::int64_t row = 0; row < part.rows; ++row, at += part.stride) {
    for (std::int64_t column = 0; column < part.columns; ++column) function(at + column, column);
  }
}

// Returns the mean of value(element, column) over each column.
template <class Value>
Doubles means_of(const Part& part, const Value& value) {
  Doubles means{};
  double* const sums = means.data();
  for_each(part, [&](std::int64_t at, std::int64_t column) { sums[column] += value(at, column); });
  for (std::int64_t column = 0; column < part.columns; ++column) sums[column] /= static_cast<double>(part.rows);
  return means;
}

struct LaneMoments {
  Doubles means, variances;
};

LaneMoments moments_of(const Part& part, const float* x) {
  LaneMoments moments{means_of(part, [x](std::int64_t at, std::int64_t) { return double{x[at]}; }), {}};
  moments.variances = means_of(part, [x, means = moments.means.data()](std::int64_t at, std::int64_t column) {
    const double difference = x[at] - means[column];
    return difference * difference;
  });
  return moments;
}

// The means and inverse deviations by which the elements of a lane are normalized.
struct Scale {
  Scale(const LaneMoments& moments, float epsilon, std::int64_t columns) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) {
      means[i] = static_cast<float>(moments.means[i]);
      inverses[i] = static_cast<float>(1 / std::sqrt(moments.variances[i] + epsilon));
    }
  }

  Floats means{}, inverses{};
};

void normalize(const Part& part, const Scale& by, const float* x, float* normalized) {
  const float *const means = by.means.data(), *const inverses = by.inverses.data();
  for_each(part,
           [=](std::int64_t at, std::int64_t i) { normalized[at] = normalized_of(x[at], means[i], inverses[i]); });
}

void gradient(const Part& part, const Scale& by, const float* of_normalized, const float* x, float* of_x) {
  const float *const means = by.means.data(), *const inverses = by.inverses.data();
  const auto normalized = [=](std::int64_t at, std::int64_t i) { return normalized_of(x[at], means[i], inverses[i]); };
  const Doubles of_means = means_of(part, [=](std::int64_t at, std::int64_t) { return double{of_normalized[at]}; });
  const Doubles along = means_of(
      part, [=](std::int64_t at, std::int64_t i) { return double{of_normalized[at]} * double{normalized(at, i)}; });
  Floats mean_changes{}, shares{};
  std::ranges::transform(of_means, mean_changes.begin(), [](double one) { return static_cast<float>(one); });
  std::ranges::transform(along, shares.begin(), [](double one) { return static_cast<float>(one); });
  const float *const mean_change = mean_changes.data(), *const share = shares.data();
  for_each(part, [=](std::int64_t at, std::int64_t i) {
    of_x[at] =
        gradient_before_normalization(inverses[i], of_normalized[at], mean_change[i], normalized(at, i), share[i]);
  });
}

// Returns the part with the columns `columns` of a lane.
Part part_of(const BatchNormalization& by, std::int64_t lane, Range columns) {
  Range rows{0, by.shape.rows};
  if (!by.lane_ends.empty()) {
    const auto number = static_cast<std::size_t>(lane);
    rows = {lane == 0 ? 0 : by.lane_ends[number - 1], by.lane_ends[number]};
  }
  return {rows.begin * by.shape.width + columns.begin, rows.size(), columns.size(), by.shape.width};
}

// Normalizes `columns` in the lanes `lanes`, a subtree of the tree of lanes, and writes the sums over these lanes to
// `moments`, whose first element is that of columns.begin.
void normalize_lanes(const BatchNormalization& by, Range lanes, Range columns, const float* x, float* normalized,
                     Moments moments) {
  const auto count = static_cast<std::size_t>(columns.size());
  if (lanes.size() == 1) {
    const Part part = part_of(by, lanes.begin, columns);
    std::fill_n(moments.means, count, 0.0f);
    std::fill_n(moments.variances, count, 0.0f);
    if (part.rows == 0) return;
    const LaneMoments of_lane = moments_of(part, x);
    normalize(part, Scale(of_lane, by.epsilon, part.columns), x, normalized);
    const std::int64_t records = part.rows / by.rows_per_record;
    for (std::size_t i = 0; i < count; ++i) {
      moments.means[i] = static_cast<float>(of_lane.means[i] * static_cast<double>(records));
      moments.variances[i] = static_cast<float>(of_lane.variances[i] * static_cast<double>(records));
    }
    return;
  }
  const std::int64_t middle = lanes.begin + lanes.size() / 2;
  Floats means, variances;
  normalize_lanes(by, {lanes.begin, middle}, columns, x, normalized, moments);
  normalize_lanes(by, {middle, lanes.end}, columns, x, normalized, {means.data(), variances.data()});
  accumulate({moments.means, count}, {means.data(), count});
  accumulate({moments.variances, count}, {variances.data(), count});
}

// Calls function(columns) for ranges of at most columns_max columns that together make up all columns, divided among
// threads.
template <class Function>
void divide_columns(const BatchNormalization& by, ThreadPool* threads, const Function& function) {
  by.lane_ends.require(by.shape.rows);
  const std::int64_t parts = (by.shape.width + columns_min - 1) / columns_min;
  divide(threads, parts, by.shape.rows * by.shape.width, [&](Range range) {
    const std::int64_t end = std::min(range.end * columns_min, by.shape.width);
    for (std::int64_t begin = range.begin * columns_min; begin < end; begin += columns_max) {
      function(Range{begin, std::min(begin + columns_max, end)});
    }
  });
}

}  // namespace

void layer_normalization(Table shape, float epsilon, const float* x, float* normalized, float* inverse_deviation) {
  const auto width = static_cast<std::size_t>(shape.width);
  const float count = static_cast<float>(shape.width);
  for (std::int64_t row = 0; row < shape.rows; ++row, x += width, normalized += width) {
    const float mean = sum({x, width}) / count;
    for (std::size_t i = 0; i < width; ++i) normalized[i] = x[i] - mean;
    const float variance = sum_of_products({normalized, width}, {normalized, width}) / count;
    inverse_deviation[row] = 1.0f / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < width; ++i) normalized[i] *= inverse_deviation[row];
  }
}

void layer_normalization_gradient(Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x) {
  const auto width = static_cast<std::size_t>(shape.width);
  const float count = static_cast<float>(shape.width);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const float mean = sum({of_normalized, width}) / count;
    const float along = sum_of_products({of_normalized, width}, {normalized, width}) / count;
    for (std::size_t i = 0; i < width; ++i) {
      of_x[i] = gradient_before_normalization(inverse_deviation[row], of_normalized[i], mean, normalized[i], along);
    }
    of_normalized += width;
    normalized += width;
    of_x += width;
  }
}

void batch_normalization(const BatchNormalization& by, const float* x, float* normalized, Moments moments,
                         ThreadPool* threads) {
  divide_columns(by, threads, [&](Range columns) {
    normalize_lanes(by, {0, by.lanes()}, columns, x, normalized,
                    {moments.means + columns.begin, moments.variances + columns.begin});
  });
}

void batch_normalization_gradient(const BatchNormalization& by, const float* of_normalized, const float* x, float* of_x,
                                  ThreadPool* threads) {
  divide_columns(by, threads, [&](Range columns) {
    for (std::int64_t lane = 0; lane < by.lanes(); ++lane) {
      const Part part = part_of(by, lane, columns);
      if (part.rows == 0) continue;
      gradient(part, Scale(moments_of(part, x), by.epsilon, part.columns), of_normalized, x, of_x);
    }
  });
}

}  // namespace carrack::train::cpu
