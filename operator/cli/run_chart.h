// Draws the history of a run as a chart for a terminal. Pure.
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

// Returns the chart of the metric in training, if training points have it, and in evaluations. Its legend has the last
// values and the best evaluation. Points that were recorded again after a restart count once. No line is wider than
// options.width. Without any points, returns a line that says so. If no point has the metric, throws Error with
// Blame::user, which lists the metrics that they have.
std::string run_chart(const std::vector<history::Point>& recorded, const ChartOptions& options);

}  // namespace carrack::control
