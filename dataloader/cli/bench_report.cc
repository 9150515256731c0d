#include "dataloader/cli/bench_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dataloader/cli/summary/number_format.h"
#include "dataloader/cli/summary/table.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

double per_second(std::uint64_t count, const BenchRun& run) {
  return static_cast<double>(count) / std::max(run.seconds, 1e-9);
}

double passes(const BenchRun& run) {
  return run.rows_in_files == 0 ? 0 : static_cast<double>(run.rows) / static_cast<double>(run.rows_in_files);
}

nlohmann::ordered_json stages_json(const Measured& measured) {
  auto stages = nlohmann::ordered_json::array();
  for (const StageTotals& stage : measured.stages)
    stages.push_back({{"name", stage.name},
                      {"rows", stage.rows},
                      {"busy_seconds", static_cast<double>(stage.busy_ns) * 1e-9},
                      {"waited_seconds", static_cast<double>(stage.waited_ns) * 1e-9}});
  return stages;
}

}  // namespace

std::string bench_text(const std::vector<BenchRun>& runs) {
  std::vector<std::vector<std::string>> lines = {{"", "rows/s", "a second", "times through", "opened in"}};
  for (const BenchRun& run : runs)
    lines.push_back({run.name, counted(static_cast<std::uint64_t>(per_second(run.rows, run))),
                     format_bytes(static_cast<std::uint64_t>(per_second(run.bytes, run))),
                     run.rows_in_files == 0 ? "" : with_one_decimal(passes(run)),
                     with_one_decimal(run.open_seconds) + " s"});
  const BenchRun& last = runs.back();
  std::string text = table(lines);
  if (passes(last) > 1) text += "\nfrom the second time on, files that fit into memory are read from there\n";
  if (last.skipped_rows > 0)
    text += "\nleft out: " + counted(last.skipped_rows, "row") + " that cannot be used" +
            (last.rows_in_files == 0 ? ", each as often as it was read" : "") + "\n";
  return text + "\n" + last.name + ":\n" + format_report(last.measured);
}

std::string bench_json(const std::vector<BenchRun>& runs) {
  auto all = nlohmann::ordered_json::array();
  for (const BenchRun& run : runs)
    all.push_back({{"name", run.name},
                   {"rows", run.rows},
                   {"bytes", run.bytes},
                   {"seconds", run.seconds},
                   {"opened_seconds", run.open_seconds},
                   {"lost", run.skipped_rows},
                   {"threads", run.measured.workers.threads},
                   {"stages", stages_json(run.measured)},
                   {"advice", advice(run.measured)}});
  return nlohmann::ordered_json{{"trials", all}}.dump() + "\n";
}

}  // namespace carrack::data::cli
