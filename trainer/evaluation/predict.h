// `carrack predict`: what the model of a checkpoint computes for the records of files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/evaluation/metrics.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/models/model.h"

namespace carrack::train {

struct PredictRequest {
  std::string checkpoint;          // as for read_model()
  std::vector<std::string> files;  // URLs or paths, in which a name may hold `*`
  Losses losses = Losses::computed;
  bool has_lines = true;  // false: only the metrics are wanted
};

// Calls `print` with a line for each record, in the order of the files' names and of their records. Returns the metrics
// of all of them; without losses only their number. Throws Error, with Blame::user, for a checkpoint or a record that
// cannot be used.
MetricValues predict(const PredictRequest& request, const RoleContext& context,
                     const std::function<void(std::string_view line)>& print);

}  // namespace carrack::train
