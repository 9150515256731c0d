// Checks a model of kind Own: its manifest lists only the tensors, and the user's program (library/carrack.h) computes
// the gradients. problems_in() in check.h calls both functions.
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

// Returns all problems of spec.model.tensors: their number, names, shapes, initial values and total size. Empty if
// there are none.
std::vector<ModelProblem> problems_in(const OwnModel& model);

// Returns a problem for each setting of the job that is not possible with such a model: a strategy other than
// ParameterServer, `deterministic`, evaluations and `patience`. Empty if there are none. The job's model must be of
// kind Own, which this does not check.
std::vector<ModelProblem> problems_of_own(const Config& config);

}  // namespace carrack::train
