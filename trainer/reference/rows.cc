// The functions for operators on rows of values: products, softmax, normalization, dropout, tables.
#include <algorithm>
#include <cmath>

#include "trainer/graph/ops/matrix.h"
#include "trainer/kernels/row_numbers.h"
#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

// Returns the number of elements of a row along the last axis.
std::size_t width_of(const Shape& shape) {
  return size(shape.back());
}

void product(const Call& call) {
  const Attributes& attributes = call.node.attributes;
  const ProductSizes sizes =
      product_sizes(call.input_values[0]->shape, call.input_values[1]->shape, attributes).value();
  const bool ta = attributes.get_or<std::int64_t>("transA", 0) != 0;
  const bool tb = attributes.get_or<std::int64_t>("transB", 0) != 0;
  const std::size_t m = size(sizes.m.with_rows(call.rows)), n = size(sizes.n.with_rows(call.rows));
  const std::size_t inner = size(sizes.k.with_rows(call.rows));
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < inner; ++k) {
        sum += call.in(0)[ta ? k * m + i : i * inner + k] * call.in(1)[tb ? j * inner + k : k * n + j];
      }
      call.out()[i * n + j] = sum;
    }
  }
}

// The inputs are scores and labels. The outputs are the loss of each row, and the logarithms of the softmax.
void softmax_cross_entropy(const Call& call) {
  const std::size_t classes = width_of(call.in_shape(0));
  for (std::size_t row = 0; row < call.out().size(); ++row) {
    const double* const scores = &call.in(0)[row * classes];
    const double largest = *std::max_element(scores, scores + classes);
    double sum = 0;
    for (std::size_t i = 0; i < classes; ++i) sum += std::exp(scores[i] - largest);
    for (std::size_t i = 0; i < classes; ++i) call.out(1)[row * classes + i] = scores[i] - largest - std::log(sum);
    call.out()[row] = -call.out(1)[row * classes + static_cast<std::size_t>(call.in(1)[row])];
  }
}

void softmax_cross_entropy_gradient(const Call& call) {
  const std::size_t classes = width_of(call.in_shape(1));
  for (std::size_t i = 0; i < call.out().size(); ++i) {
    const std::size_t row = i / classes;
    const double is_label = static_cast<std::size_t>(call.in(2)[row]) == i % classes ? 1 : 0;
    call.out()[i] = call.in(0)[row] * (std::exp(call.in(1)[i]) - is_label);
  }
}

void layer_normalization(const Call& call) {
  const std::size_t width = width_of(call.in_shape(0));
  const auto count = static_cast<double>(width);
  const double epsilon = call.node.attributes.get<float>("epsilon");
  for (std::size_t row = 0; row < call.out(1).size(); ++row) {
    const double* const x = &call.in(0)[row * width];
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < width; ++i) mean += x[i] / count;
    for (std::size_t i = 0; i < width; ++i) variance += (x[i] - mean) * (x[i] - mean) / count;
    call.out(1)[row] = 1 / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < width; ++i) call.out()[row * width + i] = (x[i] - mean) * call.out(1)[row];
  }
}

void layer_normalization_gradient(const Call& call) {
  const std::size_t width = width_of(call.in_shape(0));
  const auto count = static_cast<double>(width);
  for (std::size_t row = 0; row < call.in(2).size(); ++row) {
    const double *const of_y = &call.in(0)[row * width], *const y = &call.in(1)[row * width];
    double mean = 0, along = 0;
    for (std::size_t i = 0; i < width; ++i) mean += of_y[i] / count;
    for (std::size_t i = 0; i < width; ++i) along += of_y[i] * y[i] / count;
    for (std::size_t i = 0; i < width; ++i) {
      call.out()[row * width + i] = call.in(2)[row] * (of_y[i] - mean - y[i] * along);
    }
  }
}

// The mean and variance of one column: of the elements with the same index along the last axis.
struct Column {
  Column(const Doubles& x, const Shape& shape, std::size_t column, double epsilon)
      : width(width_of(shape)), count(x.size() / width), first(column) {
    for (std::size_t i = first; i < x.size(); i += width) mean += x[i] / static_cast<double>(count);
    for (std::size_t i = first; i < x.size(); i += width) {
      variance += (x[i] - mean) * (x[i] - mean) / static_cast<double>(count);
    }
    deviation = std::sqrt(variance + epsilon);
  }

  std::size_t width, count, first;
  double mean = 0, variance = 0, deviation = 0;
};

// Normalizes over all rows together. A kernel normalizes each lane (share of the batch) separately, but evaluate() has
// no lanes.
void batch_normalization(const Call& call) {
  const Doubles& x = call.in(0);
  const double epsilon = call.node.attributes.get<float>("epsilon");
  for (std::size_t i = 0; i < width_of(call.in_shape(0)); ++i) {
    const Column column(x, call.in_shape(0), i, epsilon);
    for (std::size_t at = i; at < x.size(); at += column.width) {
      call.out()[at] = (x[at] - column.mean) / column.deviation;
    }
    // These outputs are for the moving averages, which divide sums over the records of all lanes by their number.
    call.out(1)[i] = static_cast<double>(call.rows) * column.mean;
    call.out(2)[i] = static_cast<double>(call.rows) * column.variance;
  }
}

void batch_normalization_gradient(const Call& call) {
  const Doubles &of_y = call.in(0), &x = call.in(1);
  const double epsilon = call.node.attributes.get<float>("epsilon");
  for (std::size_t i = 0; i < width_of(call.in_shape(1)); ++i) {
    const Column column(x, call.in_shape(1), i, epsilon);
    const auto y = [&](std::size_t at) { return (x[at] - column.mean) / column.deviation; };
    double mean = 0, along = 0;
    for (std::size_t at = i; at < x.size(); at += column.width) {
      mean += of_y[at] / static_cast<double>(column.count);
      along += of_y[at] * y(at) / static_cast<double>(column.count);
    }
    for (std::size_t at = i; at < x.size(); at += column.width) {
      call.out()[at] = (of_y[at] - mean - y(at) * along) / column.deviation;
    }
  }
}

// Draws the same random numbers as the kernel, so the same elements are dropped.
void dropout(const Call& call) {
  const double rate = call.node.attributes.get<float>("ratio");
  const auto number = static_cast<std::uint32_t>(call.node.attributes.get<std::int64_t>("seed"));
  const RowRandomNumbers numbers(call.draws.seed, Purpose::dropout, call.draws.step, number);
  const std::size_t width = call.out().size() / size(call.rows);
  for (std::size_t i = 0; i < call.out().size(); ++i) {
    const std::size_t row = i / width, at = i % width;
    const std::uint32_t drawn = numbers.block(call.draws.number_of(static_cast<std::int64_t>(row)), at / 32)[at % 32];
    call.out()[i] = drawn < static_cast<std::uint32_t>(rate * 0x1p32) ? 0 : call.in(0)[i] / (1 - rate);
  }
}

// Returns the number of elements of a row along the first axis.
std::size_t row_size(const Shape& table) {
  return size(element_count(table) / table.front());
}

void gather(const Call& call) {
  const std::size_t width = row_size(call.in_shape(0));
  for (std::size_t i = 0; i < call.out().size(); ++i) {
    call.out()[i] = call.in(0)[static_cast<std::size_t>(call.in(1)[i / width]) * width + i % width];
  }
}

void scatter_add(const Call& call) {
  const std::size_t width = row_size(call.out_shape());
  for (std::size_t i = 0; i < call.in(1).size(); ++i) {
    call.out()[static_cast<std::size_t>(call.in(0)[i / width]) * width + i % width] += call.in(1)[i];
  }
}

constexpr Function functions[] = {
    {"MatMul", product},
    {"Gemm", product},
    {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
    {"SoftmaxCrossEntropyLossGradient", softmax_cross_entropy_gradient},
    {"LayerNormalization", layer_normalization},
    {"LayerNormalizationGradient", layer_normalization_gradient},
    {"BatchNormalization", batch_normalization},
    {"BatchNormalizationGradient", batch_normalization_gradient},
    {"Dropout", dropout},
    {"Gather", gather},
    {"ScatterAdd", scatter_add},
};

}  // namespace

std::span<const Function> row_functions() {
  return functions;
}

}  // namespace carrack::train::reference
