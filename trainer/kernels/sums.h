// Sums, in an order that depends only on the number of elements.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

inline constexpr std::int64_t partial_sums = 16;

// The shape [outer, reduced, inner] of values that are summed over the middle dimension.
struct Reduction3 {
  std::int64_t outer;
  std::int64_t reduced;
  std::int64_t inner;
};

namespace cpu {

// Partial sum i of 16 adds elements i, i + 16, ...; then the second half of the partial sums is added to the first, and
// so on.
float sum(std::span<const float> values);
// The same of the products a[i] b[i], which are rounded before they are added.
float sum_of_products(std::span<const float> a, std::span<const float> b);

// Writes the sums, [outer, inner]: of values that follow each other as sum() does, else in the order of the values.
// With lanes it sums over each of them, and adds these sums along the fixed tree; the last lane ends at `reduced`.
void reduce_sum(Reduction3 shape, const float* values, float* sums, const LaneEnds& lane_ends = {});

// into += values
void accumulate(std::span<float> into, std::span<const float> values);

}  // namespace cpu

// The same on a device: device.h says what `stream` is, and which memory values, sums and the ends of lanes are in.
namespace cuda {

void reduce_sum(Stream& stream, Reduction3 shape, const float* values, float* sums, const LaneEnds& lane_ends = {});
void accumulate(Stream& stream, std::span<float> into, std::span<const float> values);

}  // namespace cuda
}  // namespace carrack::train
