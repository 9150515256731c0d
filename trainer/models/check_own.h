// Checks the tensors of an own model, and the job that trains it.
#pragma once

#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/check.h"

namespace carrack::train {

inline constexpr std::size_t own_tensors_max = 10'000;
inline constexpr std::size_t own_name_size_max = 256;
inline constexpr std::size_t own_dimensions_max = 8;
inline constexpr double own_scale_max = 1e6;

// All problems with names, shapes and initial values.
std::vector<ModelProblem> problems_in(const OwnModel& model);

// What a job asks for that needs a model which Carrack can compute.
std::vector<ModelProblem> problems_of_own(const Config& config);

}  // namespace carrack::train
