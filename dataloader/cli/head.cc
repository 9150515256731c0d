#include <string>
#include <variant>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/inputs.h"
#include "dataloader/cli/progress.h"
#include "dataloader/cli/record_json.h"
#include "dataloader/cli/survey.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/cli/words.h"
#include "dataloader/records/wire.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

std::string json_name(const std::string& name) {
  return json_string(is_utf8(name) ? name : printable(name));
}

std::string one_line(const std::string& file, std::uint64_t number, std::span<const std::byte> record,
                     ExampleWalker& walker) {
  return "{\"file\": " + json_name(file) + ", \"record\": " + std::to_string(number) +
         ", \"bytes\": " + std::to_string(record.size()) + ", \"holds\": " + record_json(record, walker) + "}\n";
}

std::string for_a_person(const std::string& file, std::uint64_t number, std::span<const std::byte> record,
                         ExampleWalker& walker) {
  return "{\n  \"file\": " + json_name(file) + ",\n  \"record\": " + std::to_string(number) +
         ",\n  \"bytes\": " + std::to_string(record.size()) + ",\n" + record_text(record, walker) + "\n}\n";
}

}  // namespace

int head(const Request& request, const Storages& storages) {
  constexpr std::uint64_t usually = 5;
  std::uint64_t left = request.records.value_or(usually);
  bool is_good = true;
  Progress progress(0, false);
  ExampleWalker walker;
  for (const Listed& listed : files_of(storages, request.inputs)) {
    if (left == 0) break;
    const WatchedFile file(storages.for_url(listed.url), listed, progress);
    const FileLook look = look_at(file, {.records = left}, [&](const Records& records) {
      std::uint64_t number = records.first;
      for (const Record& record : records.records)
        print((request.json ? one_line : for_a_person)(file.name(), number++, record.data, walker));
      flush();
    });
    left -= look.records;
    if (!look.holds_records())
      print_error("carrack data head: " + no_records_text(look) + "\n");
    else
      for (const Corrupt& fault : look.faults) print_error("carrack data head: " + fault_text(fault) + "\n");
    is_good &= look.damaged == 0;
  }
  return is_good ? 0 : 1;
}

}  // namespace carrack::data::cli
