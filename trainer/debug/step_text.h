// The report of a step as text for `carrack step`: a table with a line for each feature, layer and tensor, then the
// loss and not_finite(). Pure.
#pragma once

#include <string>

#include "trainer/debug/step.h"

namespace carrack::train {

std::string text(const StepReport& report);

}  // namespace carrack::train
