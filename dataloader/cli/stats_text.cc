#include "dataloader/cli/stats_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "dataloader/cli/problems.h"
#include "dataloader/cli/table.h"
#include "dataloader/cli/text.h"
#include "dataloader/cli/words.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t bar_width = 30;
constexpr std::size_t bins = 10;

struct Bar {
  Row label;
  std::uint64_t count;
};

std::string histogram(const std::vector<Bar>& bars) {
  std::uint64_t most = 1;
  for (const Bar& bar : bars) most = std::max(most, bar.count);
  std::vector<Row> rows;
  for (const Bar& bar : bars) {
    const double share = static_cast<double>(bar.count) / static_cast<double>(most);
    Row row = {"   "};
    row.insert(row.end(), bar.label.begin(), bar.label.end());
    row.push_back(std::string(static_cast<std::size_t>(share * bar_width + 0.5), '#'));
    row.push_back(counted(bar.count));
    rows.push_back(std::move(row));
  }
  return table(rows);
}

template <typename Number>
std::vector<Bar> bars_of(const NumberSummary<Number>& numbers) {
  std::vector<Bar> bars;
  if (const auto counts = numbers.few.counts()) {
    for (const auto& [value, count] : *counts) bars.push_back({{short_number(static_cast<double>(value))}, count});
    return bars;
  }
  const Distribution distribution(numbers.quantiles);
  const auto least = static_cast<double>(numbers.least), most = static_cast<double>(numbers.most);
  double from = least;
  std::uint64_t below = 0;
  for (std::size_t i = 1; i <= bins; ++i) {
    const double share = static_cast<double>(i) / bins;
    const double to = i == bins ? most : least * (1 - share) + most * share;  // Their difference may be infinite.
    const std::uint64_t up_to = distribution.at_or_below(to);
    bars.push_back({{short_number(from), "to " + short_number(to)}, up_to - below});
    below = up_to;
    from = to;
  }
  return bars;
}

std::string quantiles_text(const Quantiles& quantiles) {
  constexpr std::array shares = {1, 5, 25, 50, 75, 95, 99};
  const Distribution distribution(quantiles);
  std::string text;
  for (const int share : shares)
    text += (text.empty() ? "" : "  ") + std::to_string(share) + "% " + short_number(distribution.at(share / 100.));
  if (quantiles.error() == 0) return text + "  (exact)";
  char bound[64];
  std::snprintf(bound, sizeof bound, "  (the shares are at most %.2g%% off)",
                100 * static_cast<double>(quantiles.error()) / static_cast<double>(quantiles.count()));
  return text + bound;
}

std::string distinct_text(const Distinct& distinct) {
  const Distinct::Count count = distinct.count();
  return (count.exact ? "" : "about ") + counted(count.count, "different value");
}

template <typename Number>
std::string numbers_text(const NumberSummary<Number>& numbers) {
  if (numbers.count < 2 || numbers.least == numbers.most) return "";
  std::string text = "  std " + short_number(numbers.deviation()) + ", " + distinct_text(numbers.distinct) + "\n";
  if (!numbers.few.counts()) text += "  " + quantiles_text(numbers.quantiles) + "\n";
  return text + histogram(bars_of(numbers));
}

std::string strings_text(const StringSummary& strings) {
  if (strings.lengths.count == 0) return "";
  std::string text = "  " + distinct_text(strings.distinct) + "\n";
  if (const auto counts = strings.few.counts(); counts && strings.texts == strings.lengths.count) {
    std::vector<Bar> bars;
    for (const auto& [value, count] : *counts) bars.push_back({{quoted(value)}, count});
    return text + histogram(bars);
  }
  if (strings.lengths.least < strings.lengths.most)
    text += "  bytes: " + quantiles_text(strings.lengths.quantiles) + "\n" + histogram(bars_of(strings.lengths));
  return text;
}

std::string feature_text(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples) {
  std::string text = printable(key.name) + ": " + type_text(feature) + ", values " + values_text(feature);
  if (feature.records < examples)
    text += ", absent from " + counted(examples - feature.records) + " of " + counted(examples, "record");
  const std::string contents = contents_text(feature);
  if (!contents.empty()) text += "\n  " + contents;
  return text + "\n" + strings_text(feature.strings) + numbers_text(feature.floats) + numbers_text(feature.ints);
}

}  // namespace

std::string stats_text(const Survey& survey) {
  const Summary& summary = survey.summary;
  std::string text = counted(survey.files.size(), "file") + ", " + counted(summary.records(), "record") + ", " +
                     size_text(summary.bytes);
  if (summary.records() > 0) text += ": " + messages_text(summary);
  text += "\n";
  for (const auto& [key, feature] : summary.features) text += "\n" + feature_text(key, feature, summary.examples());
  const std::vector<std::string> problems = problems_in(summary);
  if (!problems.empty()) text += "\nwhat may trouble a training:\n";
  for (const std::string& problem : problems) text += "  " + problem + "\n";
  if (survey.damaged() > 0)
    text += "\n" + damage_text(survey.damaged(), survey.lost()) + "; `carrack data verify` names each\n";
  return text + "\nread " + rate_text(survey.bytes, survey.seconds) + "\n";
}

}  // namespace carrack::data::cli
