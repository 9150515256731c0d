// The report of a step as text: a table with a line for each feature, layer and tensor. Pure.
#pragma once

#include <string>

#include "trainer/debug/step.h"

namespace carrack::train {

std::string text(const StepReport& report);

}  // namespace carrack::train
