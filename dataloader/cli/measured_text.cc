#include "dataloader/cli/measured_text.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "dataloader/cli/table.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

std::string with_one_digit(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

double per_second(std::uint64_t count, const Trial& trial) {
  return static_cast<double>(count) / std::max(trial.seconds, 1e-9);
}

double passes(const Trial& trial) {
  return trial.rows_in_files == 0 ? 0 : static_cast<double>(trial.rows) / static_cast<double>(trial.rows_in_files);
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

std::string trials_text(const std::vector<Trial>& trials) {
  std::vector<std::vector<std::string>> lines = {{"", "rows/s", "a second", "times through", "opened in"}};
  for (const Trial& trial : trials)
    lines.push_back({trial.name, counted(static_cast<std::uint64_t>(per_second(trial.rows, trial))),
                     format_bytes(static_cast<std::uint64_t>(per_second(trial.bytes, trial))),
                     trial.rows_in_files == 0 ? "" : with_one_digit(passes(trial)),
                     with_one_digit(trial.opened_seconds) + " s"});
  const Trial& last = trials.back();
  std::string text = table(lines);
  if (passes(last) > 1) text += "\nfrom the second time on, files that fit into memory are read from there\n";
  if (last.lost > 0)
    text += "\nleft out: " + counted(last.lost, "row") + " that cannot be used" +
            (last.rows_in_files == 0 ? ", each as often as it was read" : "") + "\n";
  return text + "\n" + last.name + ":\n" + in_words(last.measured);
}

std::string trials_json(const std::vector<Trial>& trials) {
  auto all = nlohmann::ordered_json::array();
  for (const Trial& trial : trials)
    all.push_back({{"name", trial.name},
                   {"rows", trial.rows},
                   {"bytes", trial.bytes},
                   {"seconds", trial.seconds},
                   {"opened_seconds", trial.opened_seconds},
                   {"lost", trial.lost},
                   {"threads", trial.measured.workers.threads},
                   {"stages", stages_json(trial.measured)},
                   {"advice", advice(trial.measured)}});
  return nlohmann::ordered_json{{"trials", all}}.dump() + "\n";
}

}  // namespace carrack::data::cli
