// Checks a model of kind Own, which the job's own program computes: its tensors, and the job that trains it.
#pragma once

#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/check.h"

namespace carrack::train {

// Limits for the manifest, which problems_in() enforces: the number of tensors, the bytes of a name, the dimensions of
// a tensor, and the absolute value of a scale.
inline constexpr std::size_t own_tensors_max = 10'000;
inline constexpr std::size_t own_name_size_max = 256;
inline constexpr std::size_t own_dimensions_max = 8;
inline constexpr double own_scale_max = 1e6;

// Returns all problems with the number of tensors, with their names, shapes and initial values, and with their total
// size. Empty if there are none.
std::vector<ModelProblem> problems_in(const OwnModel& model);

// Returns a problem for each setting of the job that needs a model which Carrack computes itself, such as evaluations.
// The job's model must be of kind Own.
std::vector<ModelProblem> problems_of_own(const Config& config);

}  // namespace carrack::train
