#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train {

Runs runs_from(const WireRuns& runs) {
  Runs all;
  for (const wire::Run& run : runs) all.add(BatchRun{run.begin(), run.end()});
  return all;
}

WireRuns wire_from(const std::vector<BatchRun>& runs) {
  WireRuns all;
  for (const BatchRun& run : runs) {
    wire::Run& one = *all.Add();
    one.set_begin(run.begin);
    one.set_end(run.end);
  }
  return all;
}

}  // namespace carrack::train
