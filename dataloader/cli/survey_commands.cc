// The commands inspect, stats and verify, which survey files and report the result in three ways.
#include <algorithm>
#include <string>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/inspect_text.h"
#include "dataloader/cli/summary/selection.h"
#include "dataloader/cli/summary/stats_text.h"
#include "dataloader/cli/summary/survey_json.h"
#include "dataloader/cli/survey_files.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr SurveyLimit inspect_limit{1000, 64'000'000};  // records and bytes

SurveyLimit limit_for(const Request& request) {
  if (request.all) return {};
  return request.records ? SurveyLimit{.records = *request.records} : inspect_limit;
}

void print_faults(const FileSurvey& file) {
  if (!file.holds_records()) {
    print(no_records_message(file) + "\n");
    return;
  }
  for (const Corrupt& fault : file.faults) print(describe_fault(fault) + "\n");
  if (file.damaged_spans > file.faults.size())
    print(printable(file.name) + ": ... and " + counted(file.damaged_spans - file.faults.size(), "more damaged span") +
          "\n");
}

// A file that holds something else than records does not count as damaged.
bool is_any_damaged(const Survey& survey) {
  return std::ranges::any_of(survey.files,
                             [](const FileSurvey& file) { return file.holds_records() && file.damaged_spans > 0; });
}

std::string verify_text(const Survey& survey) {
  const std::string damage =
      survey.damaged_spans() == 0 ? "nothing is damaged" : describe_damage(survey.damaged_spans(), survey.lost_bytes());
  return counted(survey.files.size(), "file") + ", " + counted(survey.records(), "record") + ", " +
         format_bytes(survey.size()) + ": " + damage + "\nread " + describe_throughput(survey.bytes, survey.seconds) +
         "\n";
}

}  // namespace

int inspect(const Request& request, const Storages& storages) {
  const Survey survey = survey_files(request, storages, {.limit = limit_for(request)});
  print(request.json ? survey_json(survey, true) : survey.files.empty() ? "" : inspect_text(survey));
  return survey.all_read && !is_any_damaged(survey) ? 0 : 1;
}

int stats(const Request& request, const Storages& storages) {
  bool all_hold_records = true;
  const auto require_records = [&](const FileSurvey& file) {
    if (file.holds_records()) return;
    all_hold_records = false;
    print_error("carrack data stats: " + no_records_message(file) + "\n");
  };
  SurveyOptions options{.on_file = require_records};
  if (!request.feature.empty()) options.only = request.feature;
  const Survey survey = survey_files(request, storages, options);
  if (const std::string problem = survey.summary.only_problem(); !problem.empty()) {
    const std::string of_column = column_problem(request.feature, survey.columns);
    throw Refused("--feature: " + (of_column.empty() ? problem : of_column));
  }
  const bool any_holds_records = std::ranges::any_of(survey.files, &FileSurvey::holds_records);
  print(request.json ? survey_json(survey, true) : any_holds_records ? stats_text(survey) : "");
  return survey.all_read && all_hold_records && survey.damaged_spans() == 0 ? 0 : 1;
}

int verify(const Request& request, const Storages& storages) {
  SurveyOptions options{.summarize = false};
  if (!request.json) options.on_file = print_faults;
  const Survey survey = survey_files(request, storages, options);
  print(request.json ? survey_json(survey, false) : verify_text(survey));
  return survey.all_read && survey.damaged_spans() == 0 ? 0 : 1;
}

}  // namespace carrack::data::cli
