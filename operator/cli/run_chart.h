// The history of a run as a chart for a terminal. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/cli/curve.h"
#include "trainer/history/point.h"

namespace carrack::control {

struct ChartOptions {
  std::string metric = "loss";
  int width = 80;  // at least 20
  Charset charset = Charset::ascii;
};

// The curve of the metric in training, if training has it, and that of the evaluations, with a legend that tells the
// last values and the best evaluation. What a job recorded again counts once. No line is wider than `width`. Throws
// Error (user) that names the metrics that there are, if no point has this one.
std::string run_chart(const std::vector<history::Point>& recorded, const ChartOptions& options);

}  // namespace carrack::control
