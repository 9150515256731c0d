// The schedule of the learning rate over the steps of a job (training.schedule): warm-up and decay.
#pragma once

#include <cstdint>

#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the factor by which the learning rate of the optimizer is multiplied for update number `step`, counted from
// 1. In the first warmup_steps updates it grows linearly to 1: step / warmup_steps. Then it decays by the kind of the
// schedule, until it is final_fraction after update number schedule.steps, where it stays. With ScheduleKind::constant
// it stays at 1. It has the same bits on every machine.
double rate_factor(const Schedule& schedule, std::int64_t step);

}  // namespace carrack::train
