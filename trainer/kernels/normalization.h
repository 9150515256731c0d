// Normalization to mean 0 and variance 1, for the layers LayerNorm (each row of a table separately) and BatchNorm (each
// column of each lane separately), and the gradients. The factors and addends that these layers also train are not
// applied here. The executor calls these functions. The bits of a row or column do not depend on the other ones. An
// argument of_x or of_normalized is the gradient of the loss with respect to x or `normalized`.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train {

// The number of rows of a chunk, see BatchNormalization.
inline constexpr std::int64_t normalization_chunk_rows = 128;

// The settings of batch_normalization(). Columns are normalized separately over the rows of each lane (a share of the
// batch, lanes.h). Without lanes all rows are one lane; with lanes the last one must end at the number of rows of the
// table. Sums over the rows of a lane are in double precision: chains over chunks of normalization_chunk_rows rows,
// counted from the first row of the lane, are added in the order of the chunks. So several threads can share the rows
// of a lane.
struct BatchNormalization {
  Table shape;
  std::int64_t rows_per_record = 1;  // rows of the table for each record, such as time steps; a lane has whole records
  float epsilon;                     // is added to the variance
  LaneEnds lane_ends = {};

  // The number of lanes, or 1 without lanes.
  constexpr std::int64_t lanes() const { return lane_ends.empty() ? 1 : static_cast<std::int64_t>(lane_ends.size()); }
};

// Where batch_normalization() writes the sums of means and of variances, one element for each column.
struct Moments {
  float* means;
  float* variances;
};

// The working memory in bytes that the calling thread of cpu::batch_normalization() or its gradient retains for a table
// of `rows` rows and `width` columns: the sums of chunks, and what is computed for each lane.
constexpr double normalization_bytes(double rows, double width, double lanes) {
  const double chunks = rows / normalization_chunk_rows + lanes;
  return width * (2 * sizeof(double) * (chunks + lanes) + 4 * sizeof(float) * lanes) + 24 * chunks;
}

namespace cpu {

// Normalizes each row separately:
//     normalized = (x - mean) inverse_deviation;  inverse_deviation = 1 / sqrt(variance + epsilon)
// The variance is the mean of (x - mean)^2, and sums are in the order of sum() (sums.h). `inverse_deviation` has an
// element for each row.
void layer_normalization(Table shape, float epsilon, const float* x, float* normalized, float* inverse_deviation);

// Writes of_x, from the results of layer_normalization():
//     of_x = inverse_deviation (of_normalized - mean(of_normalized) - normalized mean(of_normalized normalized))
void layer_normalization_gradient(Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x);

// Normalizes each column of each lane separately:
//     normalized = (x - mean) / sqrt(variance + epsilon)
// The variance is the mean of (x - mean)^2. For the moving averages it writes to `moments` the means and variances of
// lanes, each times the lane's number of records, added along the tree of lanes; an empty lane adds 0. Divides chunks
// among `threads`; null: the calling thread computes alone. The calling thread retains normalization_bytes() bytes
// until it ends. Like the gradient, throws Error with Blame::bug if the ends of lanes do not ascend, their number is no
// power of two, or the last one is not the number of rows.
void batch_normalization(const BatchNormalization& by, const float* x, float* normalized, Moments moments,
                         ThreadPool* threads = nullptr);

// Writes of_x. Computes the means and variances again from x:
//     of_x = (of_normalized - mean(of_normalized) - normalized mean(of_normalized normalized))
//            / sqrt(variance + epsilon)
void batch_normalization_gradient(const BatchNormalization& by, const float* of_normalized, const float* x, float* of_x,
                                  ThreadPool* threads = nullptr);

}  // namespace cpu

// The same functions on a GPU. All pointers and the ends of lanes are in its memory; see Stream in device.h. The ends
// of lanes are not checked.
namespace cuda {

void layer_normalization(Stream& stream, Table shape, float epsilon, const float* x, float* normalized,
                         float* inverse_deviation);
void layer_normalization_gradient(Stream& stream, Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x);

// The number of places for the chunks of all lanes of a table. Lane i, whose first row is `begin`, has the places from
// begin / normalization_chunk_rows + i on, as many as it has chunks.
constexpr std::int64_t normalization_chunk_places(std::int64_t rows, std::int64_t lanes) {
  return rows / normalization_chunk_rows + lanes;
}

// `memory` is working memory of batch_normalization_floats(by.shape, by.lanes()) floats, aligned as doubles are.
constexpr std::int64_t batch_normalization_floats(Table shape, std::int64_t lanes) {
  return (6 * lanes + 4 * normalization_chunk_places(shape.rows, lanes)) * shape.width;
}
void batch_normalization(Stream& stream, const BatchNormalization& by, const float* x, float* normalized,
                         Moments moments, float* memory);
void batch_normalization_gradient(Stream& stream, const BatchNormalization& by, const float* of_normalized,
                                  const float* x, float* of_x, float* memory);

}  // namespace cuda
}  // namespace carrack::train
