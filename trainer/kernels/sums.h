// Sums in a fixed order: it depends on how many elements there are and on nothing else.
#pragma once

#include <cstdint>
#include <span>

namespace carrack::train::cpu {

inline constexpr std::int64_t partial_sums = 16;

// The i-th of 16 partial sums takes elements i, i + 16, ...; then halves are added to halves.
float sum(std::span<const float> values);

// The products of equal positions, summed in the same way.
float dot(std::span<const float> a, std::span<const float> b);

// `values` is [outer, reduced, inner]; sums over the middle into [outer, inner].
struct Reduction3 {
  std::int64_t outer;
  std::int64_t reduced;
  std::int64_t inner;
};
void reduce_sum(Reduction3 shape, const float* values, float* sums);

// into += values
void accumulate(std::span<float> into, std::span<const float> values);

}  // namespace carrack::train::cpu
