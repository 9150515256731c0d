// The learning rate over the steps of a job.
#pragma once

#include <cstdint>

#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the factor of the learning rate for update number `step`, counted from 1. It is computed only from sums,
// products, quotients and square roots in double precision, so it is the same on every machine. After schedule.steps it
// stays at final_fraction, except with ScheduleKind::constant, where it stays at 1.
double rate_factor(const Schedule& schedule, std::int64_t step);

}  // namespace carrack::train
