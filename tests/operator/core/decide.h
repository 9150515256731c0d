// Decisions for tests that are not about models.
#pragma once

#include "operator/core/reconcile.h"

namespace carrack::control {

inline std::vector<Problem> any_model(const train::Config&) {
  return {};
}

inline Decision decide(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  return reconcile(spec, status, observed, now, any_model);
}

}  // namespace carrack::control
