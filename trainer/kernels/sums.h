// Sums of floats, in an order that depends only on the number of elements, so that the bits are the same on any machine
// and device. For the operator ReduceSum, for means in other kernels, and for adding up gradients.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// The number of partial sums in sum().
inline constexpr std::int64_t partial_sums = 16;

// The shape [outer, reduced, inner] of the argument of reduce_sum(), which sums over the middle dimension.
struct Reduction3 {
  std::int64_t outer;
  std::int64_t reduced;
  std::int64_t inner;
};

namespace cpu {

// Adds elements i, i + 16, i + 32 and so on to partial sum i of 16. Then it adds the second half of the partial sums to
// the first half, again and again, until one is left. Returns 0 for no values.
float sum(std::span<const float> values);
// Returns the sum of a[i] b[i], added in the same order. The products are rounded before they are added. Both spans
// must have the same size, which is not checked.
float sum_of_products(std::span<const float> a, std::span<const float> b);

// Writes `sums` [outer, inner]. If `inner` is 1, it adds as sum() does; otherwise it adds one value after the other.
// With lanes (shares of the `reduced` values, lanes.h) it computes one sum for each lane in this way, and adds those
// sums along the tree of lanes.h. Throws Error with Blame::bug if the ends are not valid or the last one is not
// `reduced`.
void reduce_sum(Reduction3 shape, const float* values, float* sums, const LaneEnds& lane_ends = {});

// into += values, element by element. Both spans must have the same size, which is not checked.
void accumulate(std::span<float> into, std::span<const float> values);

}  // namespace cpu

// reduce_sum() and accumulate() on a GPU, with the same bits. Values, sums and the ends of lanes are in its memory; see
// Stream in device.h. The ends of lanes are not checked.
namespace cuda {

void reduce_sum(Stream& stream, Reduction3 shape, const float* values, float* sums, const LaneEnds& lane_ends = {});
void accumulate(Stream& stream, std::span<float> into, std::span<const float> values);

}  // namespace cuda
}  // namespace carrack::train
