#include "dataloader/cli/summary/stats_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <type_traits>

#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/number_format.h"
#include "dataloader/cli/summary/problems.h"
#include "dataloader/cli/summary/table.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t bar_width = 30;
constexpr std::size_t bins = 10;

struct Bar {
  Row label;
  std::uint64_t count;
};

std::string histogram(const std::vector<Bar>& bars) {
  std::uint64_t count_max = 1;
  for (const Bar& bar : bars) count_max = std::max(count_max, bar.count);
  std::vector<Row> rows;
  for (const Bar& bar : bars) {
    const double share = static_cast<double>(bar.count) / static_cast<double>(count_max);
    Row row = {"   "};
    row.insert(row.end(), bar.label.begin(), bar.label.end());
    row.push_back(std::string(static_cast<std::size_t>(share * bar_width + 0.5), '#'));
    row.push_back(counted(bar.count));
    rows.push_back(std::move(row));
  }
  return table(rows);
}

// Returns the numbers with four digits, or all in full if different integers would then look the same. `numbers` must
// be sorted.
template <typename Number>
std::vector<std::string> format_numbers(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (const Number number : numbers) texts.push_back(short_number(static_cast<double>(number)));
  if constexpr (std::is_integral_v<Number>) {
    bool look_same = false;
    for (std::size_t i = 1; i < numbers.size(); ++i)
      look_same = look_same || (numbers[i] != numbers[i - 1] && texts[i] == texts[i - 1]);
    if (look_same) std::ranges::transform(numbers, texts.begin(), whole_number);
  }
  return texts;
}

// Divides the range from `min` to `max` into `bins` equal parts, numbered from 1, and returns the end of number `part`.
// The end of part 0 is `min`.
double interpolate(float min, float max, std::size_t part) {
  const double share = static_cast<double>(part) / bins;
  return min * (1 - share) + max * share;  // max - min is not computed, because it may be too large for a float.
}
std::int64_t interpolate(std::int64_t min, std::int64_t max, std::size_t part) {
  const std::uint64_t width = static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min);
  const std::uint64_t distance = width / bins * part + width % bins * part / bins;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(min) + distance);
}

template <typename Number>
std::vector<Bar> histogram_bars(const NumberSummary<Number>& numbers) {
  std::vector<Bar> bars;
  if (const auto counts = numbers.counts.counts()) {
    std::vector<Number> values;
    for (const auto& [value, count] : *counts) values.push_back(value);
    const std::vector<std::string> texts = format_numbers(values);
    for (std::size_t i = 0; i < values.size(); ++i) bars.push_back({{texts[i]}, (*counts)[i].second});
    return bars;
  }
  std::vector<decltype(interpolate(numbers.min, numbers.max, 0))> bounds;
  for (std::size_t i = 0; i <= bins; ++i) bounds.push_back(interpolate(numbers.min, numbers.max, i));
  const std::vector<std::string> texts = format_numbers(bounds);
  const Distribution distribution(numbers.quantiles);
  std::uint64_t below = 0;
  for (std::size_t i = 1; i <= bins; ++i) {
    const std::uint64_t count = distribution.count_up_to(bounds[i]);
    bars.push_back({{texts[i - 1], "to " + texts[i]}, count - below});
    below = count;
  }
  return bars;
}

template <typename Value>
std::string quantiles_text(const Quantiles<Value>& quantiles) {
  constexpr std::array shares = {1, 5, 25, 50, 75, 95, 99};
  const Distribution distribution(quantiles);
  std::vector<Value> values;
  for (const int share : shares) values.push_back(distribution.quantile(share / 100.));
  const std::vector<std::string> texts = format_numbers(values);
  std::string text;
  for (std::size_t i = 0; i < shares.size(); ++i)
    text += (text.empty() ? "" : "  ") + std::to_string(shares[i]) + "% " + texts[i];
  if (quantiles.rank_error_max() == 0) return text + "  (exact)";
  char bound[64];
  std::snprintf(bound, sizeof bound, "  (the shares are at most %.2g%% off)",
                100 * static_cast<double>(quantiles.rank_error_max()) / static_cast<double>(quantiles.count()));
  return text + bound;
}

std::string distinct_text(const DistinctCounter& distinct) {
  const DistinctCounter::Count count = distinct.count();
  return (count.exact ? "" : "about ") + counted(count.count, "different value");
}

template <typename Number>
std::string numbers_text(const NumberSummary<Number>& numbers) {
  if (numbers.count < 2 || numbers.min == numbers.max) return "";
  std::string text =
      "  std " + short_number(numbers.standard_deviation()) + ", " + distinct_text(numbers.distinct) + "\n";
  if (!numbers.counts.counts()) text += "  " + quantiles_text(numbers.quantiles) + "\n";
  return text + histogram(histogram_bars(numbers));
}

std::string strings_text(const StringSummary& strings) {
  if (strings.lengths.count == 0) return "";
  std::string text = "  " + distinct_text(strings.distinct) + "\n";
  if (const auto counts = strings.counts.counts(); counts && strings.texts == strings.lengths.count) {
    std::vector<Bar> bars;
    for (const auto& [value, count] : *counts) bars.push_back({{json_string(value)}, count});
    return text + histogram(bars);
  }
  if (strings.lengths.min < strings.lengths.max)
    text += "  bytes: " + quantiles_text(strings.lengths.quantiles) + "\n" + histogram(histogram_bars(strings.lengths));
  return text;
}

const std::vector<std::string>* names_of(const std::string& feature, const ColumnNames& names) {
  const auto found = names.find(feature);
  return found == names.end() ? nullptr : &found->second;
}

// Returns a table for a feature with several values in each record: a line of statistics for the first value, one for
// the second, and so on. `names` are the names of the values; nullptr if they have none.
std::string columns_text(std::span<const ValueColumn> columns, const std::vector<std::string>* names) {
  if (columns.empty()) return "";
  const bool has_names = names != nullptr && names->size() == columns.size();
  const bool any_infinite = std::ranges::any_of(columns, [](const ValueColumn& column) { return column.infinite > 0; });
  std::vector<Row> rows = {{"    value", "min", "max", "mean", "std", "NaN"}};
  if (any_infinite) rows.front().emplace_back("infinite");
  if (has_names) rows.front().emplace_back("column");
  for (const ValueColumn& column : columns) {
    Row row = {"    " + std::to_string(rows.size() - 1)};
    for (const double number : {column.min, column.max, column.moments.mean, column.moments.standard_deviation()})
      row.push_back(column.moments.count == 0 ? "-" : short_number(number));
    row.push_back(counted(column.nan));
    if (any_infinite) row.push_back(counted(column.infinite));
    if (has_names) row.push_back(printable((*names)[rows.size() - 1]));
    rows.push_back(std::move(row));
  }
  return "  each value of a record:\n" + table(rows);
}

std::string feature_text(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples,
                         const ColumnNames& names) {
  std::string text = printable(key.name) + ": " + describe_type(feature) + ", values " + describe_value_count(feature);
  if (feature.records < examples)
    text += ", absent from " + counted(examples - feature.records) + " of " + counted(examples, "record");
  const std::string contents = describe_contents(feature);
  if (!contents.empty()) text += "\n  " + contents;
  return text + "\n" + strings_text(feature.strings) + numbers_text(feature.floats) + numbers_text(feature.ints) +
         columns_text(feature.columns.columns(), names_of(key.name, names));
}

}  // namespace

std::string stats_text(const Survey& survey) {
  const Summary& summary = survey.summary;
  std::string text = counted(survey.files.size(), "file") + ", " + counted(summary.records(), "record") + ", " +
                     format_bytes(summary.bytes);
  if (summary.records() > 0) text += ": " + describe_messages(summary);
  text += "\n";
  for (const auto& [key, feature] : summary.features)
    text += "\n" + feature_text(key, feature, summary.examples(), survey.columns);
  const std::vector<std::string> problems = find_problems(summary);
  if (!problems.empty()) text += "\nwhat may trouble a training:\n";
  for (const std::string& problem : problems) text += "  " + problem + "\n";
  if (survey.damaged_spans() > 0)
    text +=
        "\n" + describe_damage(survey.damaged_spans(), survey.lost_bytes()) + "; `carrack data verify` names each\n";
  return text + "\nread " + describe_throughput(survey.bytes, survey.seconds) + "\n";
}

}  // namespace carrack::data::cli
