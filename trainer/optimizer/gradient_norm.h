// The norm of a gradient over all parameters. No parameter server has the whole gradient: each sums the squares of its
// own blocks (layout.h). These sums, added in the order of blocks, give the same bits for any number of servers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"
#include "trainer/launch/config.h"
#include "trainer/optimizer/update_parts.h"

namespace carrack::train {

// Whether the job limits the norm of the gradient (training.clip.norm), so that the functions below are needed.
bool clips_by_norm(const Training& training);

// Returns, for each block, the sum of the squares of the elements of its gradient. gradient_step() makes the gradient
// from `gradient_sum`, a sum over `records` records. Ranges of parts and blocks count from its first element; without
// parts all blocks are trained. The result is 0 for a block that is frozen or has a rate of its own.
std::vector<double> squares_of_blocks(const Training& training, std::span<const UpdatePart> parts,
                                      std::span<const Range> blocks, std::uint64_t records,
                                      std::span<const float> gradient_sum);
// The sum of squares_of_blocks(), in the order of blocks.
double squares_of(const Training& training, std::span<const UpdatePart> parts, std::span<const Range> blocks,
                  std::uint64_t records, std::span<const float> gradient_sum);

// Returns the factor, at most 1, that reduces the norm of the gradient to training.clip.norm if it is larger. The field
// must be set (clips_by_norm()). `squares` is the sum of squares over all blocks of the model. Returns 0 if it is
// infinite, and NaN if it is NaN.
double norm_scale(const Training& training, double squares);

}  // namespace carrack::train
