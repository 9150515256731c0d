// The learning rate in the course of a job.
#pragma once

#include <cstdint>

#include "trainer/launch/config.h"

namespace carrack::train {

// By what the learning rate is multiplied in the update number `step`, counted from 1. Made of sums, products,
// quotients and square roots in double, so it is the same on every machine.
double rate_factor(const Schedule& schedule, std::int64_t step);

}  // namespace carrack::train
