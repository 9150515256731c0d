#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train {

std::optional<BatchSet> runs_from(const WireRuns& runs, std::uint64_t end) {
  if (runs.size() > wire_runs_max) return std::nullopt;
  BatchSet all;
  std::optional<std::uint64_t> end_before;
  for (const wire::Run& run : runs) {
    const bool apart = !end_before || run.begin() > *end_before;
    if (!apart || run.begin() >= run.end() || run.end() > end) return std::nullopt;
    end_before = run.end();
    all.add(BatchRun{run.begin(), run.end()});
  }
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
