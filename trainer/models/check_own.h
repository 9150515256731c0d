// Checks a model of kind Own, which the job's own program computes: its tensors, and the job that trains it.
#pragma once

#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/check.h"

namespace carrack::train {

// Limits for the manifest. Names have at most own_name_size_max bytes; the absolute value of a scale is at most
// own_scale_max.
inline constexpr std::size_t own_tensors_max = 10'000;
inline constexpr std::size_t own_name_size_max = 256;
inline constexpr std::size_t own_dimensions_max = 8;
inline constexpr double own_scale_max = 1e6;

// Returns all problems with the number of tensors, their names, shapes and initial values. Empty if there are none.
std::vector<ModelProblem> problems_in(const OwnModel& model);

// Returns a problem for each setting of the job that needs a model which Carrack computes itself, such as evaluations.
std::vector<ModelProblem> problems_of_own(const Config& config);

}  // namespace carrack::train
