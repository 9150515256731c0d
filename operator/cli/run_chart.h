// Draws the recorded losses, or another metric, of a job as a chart of text, for `carrack plot` and the end of
// `carrack run`. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/cli/curve.h"
#include "trainer/history/point.h"

namespace carrack::control {

struct ChartOptions {
  std::string metric = "loss";  // or accuracy, records_per_second, ...
  int width = 80;               // at least 20
  Charset charset = Charset::ascii;
};

// Returns the chart of the metric over steps, in training (a line) and in evaluations (marks), as lines of at most
// options.width characters with their line breaks. Its legend has the last values and the best evaluation. `recorded`
// are the points in the order of the file; points that were recorded again after a restart count once. Without any
// points, returns a line that says so. If no point has the metric, throws Error with Blame::user, which suggests a
// metric that they have.
std::string run_chart(const std::vector<history::Point>& recorded, const ChartOptions& options);

}  // namespace carrack::control
