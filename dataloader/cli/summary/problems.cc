#include "dataloader/cli/summary/problems.h"

#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

std::string count_of(std::uint64_t some, std::uint64_t all) {
  return counted(some) + " of " + counted(all);
}

template <typename Number>
bool is_constant(const NumberSummary<Number>& numbers) {
  return numbers.count > 1 && numbers.not_finite() == 0 && numbers.min == numbers.max;
}

// Returns a sentence for each problem of a feature, without its name.
std::vector<std::string> find_problems(const FeatureSummary& feature, std::uint64_t examples) {
  std::vector<std::string> problems;
  if (!feature.dtype() && feature.records_by_type[0] < feature.records)
    problems.push_back("is " + describe_type(feature) + "; a feature has one type");
  if (feature.records < examples)
    problems.push_back("is absent from " + count_of(examples - feature.records, examples) + " records");
  if (feature.floats.not_finite() > 0) {
    problems.push_back(count_of(feature.floats.not_finite(), feature.floats.count + feature.floats.not_finite()) +
                       " values are NaN or infinite; a loss that meets one is, too");
  }
  if (feature.ints.beyond_float32 > 0) {
    problems.push_back(count_of(feature.ints.beyond_float32, feature.ints.count) +
                       " values are beyond 16,777,216 (2^24); as float32 they are rounded");
  }
  const StringSummary& strings = feature.strings;
  if (strings.numbers > 0 && strings.numbers == strings.lengths.count)
    problems.push_back("holds numbers as text, such as " + feature.example + "; write them as float32 or int64");
  if (is_constant(feature.floats) || is_constant(feature.ints) ||
      (strings.lengths.count > 1 && strings.distinct.count().count == 1))
    problems.push_back("has the same value throughout; a model learns nothing from it");
  return problems;
}

}  // namespace

std::vector<std::string> find_problems(const Summary& summary) {
  std::vector<std::string> all;
  const std::uint64_t others = summary.count(ExampleWalker::Message::other);
  if (others > 0 && summary.examples() > 0) {
    all.push_back(count_of(others, summary.records()) + " records are no tf.Example; the first is " +
                  printable(*summary.first_unknown));
  }
  for (const auto& [key, feature] : summary.features)
    for (const std::string& problem : find_problems(feature, summary.examples()))
      all.push_back(printable(key.name) + ": " + problem);
  return all;
}

}  // namespace carrack::data::cli
