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

// Draws the metric in training, if training points have it, and in evaluations, with a legend that has the last values
// and the best evaluation. Points that were recorded again after a restart count once. No line is wider than
// options.width. If there are points but none has the metric, throws Error with Blame::user, with the metrics that they
// have.
std::string run_chart(const std::vector<history::Point>& recorded, const ChartOptions& options);

}  // namespace carrack::control
