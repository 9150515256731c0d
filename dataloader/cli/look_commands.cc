// inspect, stats and verify: three reports of one survey.
#include <algorithm>
#include <string>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/inspect_text.h"
#include "dataloader/cli/stats_text.h"
#include "dataloader/cli/survey.h"
#include "dataloader/cli/survey_json.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/cli/words.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr Front first_records{1000, 64'000'000};

Front front_for(const Request& request) {
  if (request.all) return {};
  return request.records ? Front{.records = *request.records} : first_records;
}

void print_faults(const FileLook& file) {
  if (!file.holds_records()) {
    print(no_records_text(file) + "\n");
    return;
  }
  for (const Corrupt& fault : file.faults) print(fault_text(fault) + "\n");
  if (file.damaged > file.faults.size())
    print(printable(file.name) + ": ... and " + counted(file.damaged - file.faults.size(), "more damaged span") + "\n");
}

// What holds no records at all is not damaged.
bool is_any_damaged(const Survey& survey) {
  return std::ranges::any_of(survey.files,
                             [](const FileLook& file) { return file.holds_records() && file.damaged > 0; });
}

std::string verified_text(const Survey& survey) {
  return counted(survey.files.size(), "file") + ", " + counted(survey.records(), "record") + ", " +
         format_bytes(survey.size()) + ": " +
         (survey.damaged() == 0 ? "nothing is damaged" : damage_text(survey.damaged(), survey.lost())) + "\nread " +
         rate_text(survey.bytes, survey.seconds) + "\n";
}

}  // namespace

int inspect(const Request& request, const Storages& storages) {
  const Survey found = survey(request, storages, {.front = front_for(request)});
  print(request.json ? survey_json(found, true) : found.files.empty() ? "" : inspect_text(found));
  return found.all_read && !is_any_damaged(found) ? 0 : 1;
}

int stats(const Request& request, const Storages& storages) {
  bool are_records = true;
  const Survey found = survey(request, storages, {.each = [&](const FileLook& file) {
                                if (file.holds_records()) return;
                                are_records = false;
                                print_error("carrack data stats: " + no_records_text(file) + "\n");
                              }});
  const bool are_any = std::ranges::any_of(found.files, &FileLook::holds_records);
  print(request.json ? survey_json(found, true) : are_any ? stats_text(found) : "");
  return found.all_read && are_records && found.damaged() == 0 ? 0 : 1;
}

int verify(const Request& request, const Storages& storages) {
  Looking looking{.summarises = false};
  if (!request.json) looking.each = print_faults;
  const Survey found = survey(request, storages, looking);
  print(request.json ? survey_json(found, false) : verified_text(found));
  return found.all_read && found.damaged() == 0 ? 0 : 1;
}

}  // namespace carrack::data::cli
