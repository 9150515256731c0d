// The norm of a gradient over all parameters, which no parameter server has alone: each sums the squares of its blocks,
// and their sum in the order of blocks gives the same bits for any number of servers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"
#include "trainer/launch/config.h"
#include "trainer/optimizer/update_parts.h"

namespace carrack::train {

bool clips_by_norm(const Training& training);

// Of each block of a range, the sum of the squares of the gradient, which is made of the sum of `records` gradients as
// gradient_step() says. Elements that are frozen or have a rate of their own do not count.
std::vector<double> squares_of_blocks(const Training& training, std::span<const UpdatePart> parts,
                                      std::span<const Range> blocks, std::uint64_t records,
                                      std::span<const float> gradient_sum);
// The sum of all of these, in the order of blocks.
double squares_of(const Training& training, std::span<const UpdatePart> parts, std::span<const Range> blocks,
                  std::uint64_t records, std::span<const float> gradient_sum);

// By what the gradient is multiplied if these are its squares, summed over all blocks: so that its norm is not above
// training.clip.norm. Infinite squares give 0, and NaN gives NaN.
double norm_scale(const Training& training, double squares);

}  // namespace carrack::train
