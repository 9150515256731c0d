#include "dataloader/cli/stats_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <type_traits>

#include "dataloader/cli/problems.h"
#include "dataloader/cli/table.h"
#include "dataloader/cli/text.h"
#include "dataloader/cli/words.h"
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

// In rising order. Short, unless that makes whole numbers that differ read alike.
template <typename Number>
std::vector<std::string> texts_of(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (const Number number : numbers) texts.push_back(short_number(static_cast<double>(number)));
  if constexpr (std::is_integral_v<Number>) {
    bool reads_alike = false;
    for (std::size_t i = 1; i < numbers.size(); ++i)
      reads_alike = reads_alike || (numbers[i] != numbers[i - 1] && texts[i] == texts[i - 1]);
    if (reads_alike) std::ranges::transform(numbers, texts.begin(), whole_number);
  }
  return texts;
}

// What lies at this part of the way between them.
double between(float least, float most, std::size_t part) {
  const double share = static_cast<double>(part) / bins;
  return least * (1 - share) + most * share;  // Their difference may be infinite.
}
std::int64_t between(std::int64_t least, std::int64_t most, std::size_t part) {
  const std::uint64_t width = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  const std::uint64_t way = width / bins * part + width % bins * part / bins;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + way);
}

template <typename Number>
std::vector<Bar> bars_of(const NumberSummary<Number>& numbers) {
  std::vector<Bar> bars;
  if (const auto counts = numbers.few.counts()) {
    std::vector<Number> values;
    for (const auto& [value, count] : *counts) values.push_back(value);
    const std::vector<std::string> texts = texts_of(values);
    for (std::size_t i = 0; i < values.size(); ++i) bars.push_back({{texts[i]}, (*counts)[i].second});
    return bars;
  }
  std::vector<decltype(between(numbers.least, numbers.most, 0))> bounds;
  for (std::size_t i = 0; i <= bins; ++i) bounds.push_back(between(numbers.least, numbers.most, i));
  const std::vector<std::string> texts = texts_of(bounds);
  const Distribution distribution(numbers.quantiles);
  std::uint64_t below = 0;
  for (std::size_t i = 1; i <= bins; ++i) {
    const std::uint64_t up_to = distribution.at_or_below(bounds[i]);
    bars.push_back({{texts[i - 1], "to " + texts[i]}, up_to - below});
    below = up_to;
  }
  return bars;
}

template <typename Value>
std::string quantiles_text(const Quantiles<Value>& quantiles) {
  constexpr std::array shares = {1, 5, 25, 50, 75, 95, 99};
  const Distribution distribution(quantiles);
  std::vector<Value> values;
  for (const int share : shares) values.push_back(distribution.at(share / 100.));
  const std::vector<std::string> texts = texts_of(values);
  std::string text;
  for (std::size_t i = 0; i < shares.size(); ++i)
    text += (text.empty() ? "" : "  ") + std::to_string(shares[i]) + "% " + texts[i];
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
    for (const auto& [value, count] : *counts) bars.push_back({{json_string(value)}, count});
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
                     format_bytes(summary.bytes);
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
