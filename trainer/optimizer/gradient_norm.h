// Clips gradients by their norm (training.clip.norm), the square root of the sum of the squares of all elements. No
// parameter server has the whole gradient. So in each step of Sync, each server calls squares_of_blocks() for its own
// blocks (consecutive rows of a tensor, layout.h), the coordinator adds the results, and each server calls norm_scale()
// of the sum, which is the factor for GradientStep::scale. Squares are added in the order of blocks, so the sum has the
// same bits for any number of servers. In Async the worker has the whole gradient of its batch: it computes the sum by
// squares_of() and sends it in its push, and the servers call norm_scale(). `carrack step` calls squares_of() and
// norm_scale().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"
#include "trainer/launch/config.h"
#include "trainer/optimizer/update_parts.h"

namespace carrack::train {

// True if training.clip.norm is set.
bool clips_by_norm(const Training& training);

// Returns, for each block, the sum of the squares of the elements of its gradient; 0 for a block that the optimizer
// does not train. `gradient_sum` is the sum of the gradients of `records` records for a range of the parameters. The
// gradient is made from it by gradient_step() (optimizer.h). `blocks` are the blocks of this range, and `parts` are its
// update_parts(); both count elements from the first one of `gradient_sum`. With empty `parts` all blocks are trained.
std::vector<double> squares_of_blocks(const Training& training, std::span<const UpdatePart> parts,
                                      std::span<const Range> blocks, std::uint64_t records,
                                      std::span<const float> gradient_sum);
// Returns the sum of the results of squares_of_blocks(), added in the order of blocks.
double squares_of(const Training& training, std::span<const UpdatePart> parts, std::span<const Range> blocks,
                  std::uint64_t records, std::span<const float> gradient_sum);

// Returns the factor for the gradient: 1 if its norm is at most training.clip.norm, which must be set, otherwise the
// factor below 1 that reduces the norm to it. `squares` is the sum of squares over all blocks of the model. Returns 0
// if `squares` is infinite, and NaN if it is NaN.
double norm_scale(const Training& training, double squares);

}  // namespace carrack::train
