#include "dataloader/cli/inspect_text.h"

#include <algorithm>

#include "dataloader/cli/manifest_features.h"
#include "dataloader/cli/row_inputs.h"
#include "dataloader/cli/table.h"
#include "dataloader/cli/words.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t files_shown = 20;
constexpr std::size_t faults_shown = 10;

Row row_of(const FileLook& file) {
  Row row = {printable(file.name), kind_text(file)};
  const bool has_records = file.holds_records() && file.bytes > 0;
  row.push_back(has_records ? records_text(file) : "");
  row.push_back(format_bytes(file.bytes));
  row.push_back(has_records ? sizes_text(file.sizes, file.median_size) : "");
  if (has_records && file.damaged > 0) row.push_back(damage_text(file.damaged, file.lost));
  return row;
}

// The first files, and of the others those that are not as they should be.
std::string files_text(const Survey& survey) {
  std::vector<Row> rows;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < survey.files.size(); ++i) {
    const FileLook& file = survey.files[i];
    if (i < files_shown || !file.holds_records() || file.damaged > 0)
      rows.push_back(row_of(file));
    else
      ++left_out;
  }
  std::string text = table(rows);
  const auto of_rows = std::ranges::find_if(survey.files, [](const FileLook& file) {
    return !file.holds_records() && kind_of_input(file.name) != InputKind::records;
  });
  if (of_rows != survey.files.end())
    text += "\n" + conversion_of(of_rows->name) + " makes records of CSV, JSON lines and numpy's arrays\n";
  if (left_out > 0) text += "... and " + counted(left_out, "more file") + " of records\n";
  if (survey.files.size() > 1) {
    const std::string records = counted(survey.records(), "record") + (survey.whole() ? "" : " looked at");
    text += "\n" + counted(survey.files.size(), "file") + ", " + format_bytes(survey.size()) + ", " + records + "\n";
  }
  return text;
}

std::string faults_text(const Survey& survey) {
  std::string text;
  std::size_t shown = 0;
  for (const FileLook& file : survey.files) {
    if (!file.holds_records()) continue;
    for (const Corrupt& fault : file.faults)
      if (shown++ < faults_shown) text += fault_text(fault) + "\n";
  }
  if (shown > faults_shown) text += "... and more; `carrack data verify` names each\n";
  return text.empty() ? "" : "\n" + text;
}

std::string features_text(const Summary& summary) {
  std::vector<Row> rows = {{"feature", "type", "values", "absent", "holds", "for example"}};
  for (const auto& [key, feature] : summary.features) {
    const std::uint64_t absent = summary.examples() - feature.records;
    rows.push_back({printable(key.name), type_text(feature), values_text(feature),
                    absent == 0 ? "" : "from " + counted(absent), contents_text(feature), feature.example});
  }
  std::string text = "\n" + table(rows);
  if (summary.unlisted > 0) text += "... and more names than are kept\n";
  return text;
}

}  // namespace

std::string inspect_text(const Survey& survey) {
  std::string text = files_text(survey) + faults_text(survey);
  const Summary& summary = survey.summary;
  if (summary.records() == 0) return text;
  const std::string seen = counted(summary.records(), "record");
  text += "\n" + (survey.whole() ? "all " + seen : "the first " + seen + " (--all looks at every one)") + ": " +
          messages_text(summary) + "\n";
  if (summary.examples() == 0) return text + "`carrack data head` shows what they hold\n";
  if (summary.features.empty()) return text + "without features\n";
  text += features_text(summary);
  return text + "\nin a manifest, under `spec`" + (survey.whole() ? "" : ", as far as these records tell") + ":\n\n" +
         manifest_features(summary);
}

}  // namespace carrack::data::cli
