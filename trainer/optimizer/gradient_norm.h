// The norm of a gradient over all parameters. No parameter server has the whole gradient: each sums the squares of its
// own blocks. These sums, added in the order of blocks, give the same bits for any number of servers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"
#include "trainer/launch/config.h"
#include "trainer/optimizer/update_parts.h"

namespace carrack::train {

bool clips_by_norm(const Training& training);

// Returns for each block the sum of the squares of its gradient. gradient_step() makes the gradient from
// `gradient_sum`, a sum over `records` records. Parts and blocks count from its first element. A block that is frozen
// or has a rate of its own gives 0.
std::vector<double> squares_of_blocks(const Training& training, std::span<const UpdatePart> parts,
                                      std::span<const Range> blocks, std::uint64_t records,
                                      std::span<const float> gradient_sum);
// The sum of squares_of_blocks(), in the order of blocks.
double squares_of(const Training& training, std::span<const UpdatePart> parts, std::span<const Range> blocks,
                  std::uint64_t records, std::span<const float> gradient_sum);

// Returns the factor for the gradient, at most 1, with which its norm is at most training.clip.norm, which must be set.
// `squares` are the sum over all blocks of the model. Infinite squares give 0, and NaN gives NaN.
double norm_scale(const Training& training, double squares);

}  // namespace carrack::train
