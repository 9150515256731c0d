#include <string>
#include <variant>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/inputs.h"
#include "dataloader/cli/progress.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/record_json.h"
#include "dataloader/cli/survey_files.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/records/wire.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

std::string to_json_line(const std::string& file, std::uint64_t number, std::span<const std::byte> record,
                         ExampleWalker& walker) {
  return "{\"file\": " + name_json(file) + ", \"record\": " + std::to_string(number) +
         ", \"bytes\": " + std::to_string(record.size()) + ", \"holds\": " + record_json(record, walker) + "}\n";
}

std::string to_readable_text(const std::string& file, std::uint64_t number, std::span<const std::byte> record,
                             ExampleWalker& walker) {
  return "{\n  \"file\": " + name_json(file) + ",\n  \"record\": " + std::to_string(number) +
         ",\n  \"bytes\": " + std::to_string(record.size()) + ",\n" + record_text(record, walker) + "\n}\n";
}

}  // namespace

int head(const Request& request, const Storages& storages) {
  constexpr std::uint64_t default_records = 5;
  const bool stops = request.on_damage == OnDamage::stop;
  std::uint64_t remaining = request.records.value_or(default_records);
  bool all_good = true;
  Progress progress(0, false);
  ExampleWalker walker;
  for (const Listed& listed : list_files(storages, request.inputs)) {
    if (remaining == 0) break;
    const TrackedFile file(storages.for_url(listed.url), listed, progress);
    const FileSurvey survey =
        survey_file(file, {.records = remaining, .stop_at_damage = stops}, [&](const Records& records) {
          std::uint64_t number = records.first;
          for (const Record& record : records.records)
            print((request.json ? to_json_line : to_readable_text)(file.name(), number++, record.data, walker));
          flush();
        });
    remaining -= survey.records;
    if (!survey.holds_records())
      print_error("carrack data head: " + no_records_message(survey) + "\n");
    else
      for (const Corrupt& fault : survey.faults) print_error("carrack data head: " + describe_fault(fault) + "\n");
    all_good &= survey.damaged_spans == 0;
    if (stops && !all_good) break;
  }
  return all_good ? 0 : 1;
}

}  // namespace carrack::data::cli
