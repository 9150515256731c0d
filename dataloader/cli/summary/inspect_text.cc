#include "dataloader/cli/summary/inspect_text.h"

#include <algorithm>

#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/input_kind.h"
#include "dataloader/cli/summary/manifest_features.h"
#include "dataloader/cli/summary/table.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t files_shown = 20;
constexpr std::size_t faults_shown = 10;

Row to_row(const FileSurvey& file) {
  Row row = {printable(file.name), describe_kind(file)};
  const bool has_records = file.holds_records() && file.bytes > 0;
  row.push_back(has_records ? describe_record_count(file) : "");
  row.push_back(format_bytes(file.bytes));
  row.push_back(has_records ? describe_record_sizes(file.sizes, file.median_size) : "");
  if (has_records && file.damaged_spans > 0) row.push_back(describe_damage(file.damaged_spans, file.lost_bytes));
  return row;
}

// Lists the first files, and further files only if they are damaged or hold no records.
std::string files_text(const Survey& survey) {
  std::vector<Row> rows;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < survey.files.size(); ++i) {
    const FileSurvey& file = survey.files[i];
    if (i < files_shown || !file.holds_records() || file.damaged_spans > 0)
      rows.push_back(to_row(file));
    else
      ++hidden;
  }
  std::string text = table(rows);
  const auto convertible = std::ranges::find_if(survey.files, [](const FileSurvey& file) {
    return !file.holds_records() && input_kind(file.name) != InputKind::records;
  });
  if (convertible != survey.files.end())
    text += "\n" + convert_command(convertible->name) + " makes records of CSV, JSON lines and numpy's arrays\n";
  if (hidden > 0) text += "... and " + counted(hidden, "more file") + " of records\n";
  if (survey.files.size() > 1) {
    const std::string records = counted(survey.records(), "record") + (survey.complete() ? "" : " looked at");
    text += "\n" + counted(survey.files.size(), "file") + ", " + format_bytes(survey.size()) + ", " + records + "\n";
  }
  return text;
}

std::string faults_text(const Survey& survey) {
  std::string text;
  std::size_t shown = 0;
  for (const FileSurvey& file : survey.files) {
    if (!file.holds_records()) continue;
    for (const Corrupt& fault : file.faults)
      if (shown++ < faults_shown) text += describe_fault(fault) + "\n";
  }
  if (shown > faults_shown) text += "... and more; `carrack data verify` names each\n";
  return text.empty() ? "" : "\n" + text;
}

std::string features_text(const Summary& summary) {
  std::vector<Row> rows = {{"feature", "type", "values", "absent", "holds", "for example"}};
  for (const auto& [key, feature] : summary.features) {
    const std::uint64_t absent = summary.examples() - feature.records;
    rows.push_back({printable(key.name), describe_type(feature), describe_value_count(feature),
                    absent == 0 ? "" : "from " + counted(absent), describe_contents(feature), feature.example});
  }
  std::string text = "\n" + table(rows);
  if (summary.ignored_features > 0) text += "... and more names than are kept\n";
  return text;
}

// Returns a line for each feature that `convert --join` has made of several columns, such as "x: 0 age, 1 height".
std::string columns_text(const ColumnNames& columns) {
  std::string text;
  for (const auto& [feature, names] : columns) {
    text += printable(feature) + ": ";
    for (std::size_t i = 0; i < names.size(); ++i)
      text += (i == 0 ? "" : ", ") + std::to_string(i) + " " + printable(names[i]);
    text += "\n";
  }
  return text.empty() ? "" : "\ncolumns that are joined:\n" + text;
}

}  // namespace

std::string inspect_text(const Survey& survey) {
  std::string text = files_text(survey) + faults_text(survey);
  const Summary& summary = survey.summary;
  if (summary.records() == 0) return text;
  const std::string seen = counted(summary.records(), "record");
  text += "\n" + (survey.complete() ? "all " + seen : "the first " + seen + " (--all looks at every one)") + ": " +
          describe_messages(summary) + "\n";
  if (summary.examples() == 0) return text + "`carrack data head` shows what they hold\n";
  if (summary.features.empty()) return text + "without features\n";
  text += features_text(summary) + columns_text(survey.columns);
  return text + "\nin a manifest, under `spec`" + (survey.complete() ? "" : ", as far as these records tell") +
         ":\n\n" + manifest_features(summary);
}

}  // namespace carrack::data::cli
