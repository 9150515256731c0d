#include "dataloader/cli/survey_features.h"

#include <algorithm>

#include "dataloader/cli/inputs.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/file_survey.h"
#include "dataloader/error.h"
#include "dataloader/records/byte_source.h"

namespace carrack::data::cli {
namespace {

constexpr std::uint64_t records_max = 1'000'000, bytes_max = 1'000'000'000;

}  // namespace

RecordsFound survey_features(const std::vector<std::string>& names, const Storages& storages) {
  const std::vector<Listed> files = list_files(storages, names);
  SurveyLimit limit{std::max<std::uint64_t>(records_max / files.size(), 1),
                    std::max<std::uint64_t>(bytes_max / files.size(), 1 << 20), true};
  RecordsFound found;
  Summary summary;
  ExampleWalker walker;
  for (const Listed& listed : files) {
    const StoredObject file(storages.for_url(listed.url), listed.url, listed.stat);
    limit.at_least_one = summary.records() == 0;  // Long records may exceed the part of each file.
    const FileSurvey survey = survey_file(file, limit, [&](const Records& records) {
      std::uint64_t number = records.first;
      for (const Record& record : records.records) summary.add(file.name(), number++, record.data, walker);
    });
    if (!survey.holds_records()) throw Refused(no_records_message(survey));
    if (!survey.faults.empty()) throw Refused(text(survey.faults.front()));
    found.are_all = found.are_all && survey.complete;
  }
  found.records = summary.records();
  if (summary.examples() == 0) throw Refused(names.front() + ": holds no tf.Example");
  found.features = found_features(summary);
  return found;
}

}  // namespace carrack::data::cli
