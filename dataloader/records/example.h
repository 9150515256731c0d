// tf.Example, docs/formats/example.md: from a record's bytes straight into the columns of a batch, and back.
// What a record holds beside the features asked for is skipped unread. Any bytes give values or a Mismatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace carrack::data {

// The numbers are those of the lists in tf.Feature.
enum class Dtype : std::uint8_t { bytes = 1, float32 = 2, int64 = 3 };

// What is asked of each record: exactly `count` values of this kind.
struct Feature {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::size_t count = 1;
};

// One feature of many records, row after row. Strings lie in the records' memory.
using Column = std::variant<std::vector<std::string_view>, std::vector<float>, std::vector<std::int64_t>>;

// Why a record does not give the features asked for.
struct Mismatch {
  std::size_t offset = 0;  // in the record, of the feature at fault where there is one
  std::string what;
};

// It remembers the order of the last record's features, as files have the same one throughout: one parser a thread.
class ExampleParser {
 public:
  // Throws an Error where a name stands twice or a count is zero.
  explicit ExampleParser(std::vector<Feature> features);

  // A column for each feature, in their order, of this many rows.
  std::vector<Column> columns(std::size_t rows) const;
  // Writes the record's values into `row` of each column; after a Mismatch that row holds anything.
  std::optional<Mismatch> parse(std::span<const std::byte> record, std::size_t row, std::span<Column> columns);

 private:
  using Place = std::optional<std::size_t>;  // in features_; nothing for what was not asked for
  struct Seen {
    std::string name;
    Place place;
  };

  bool find_features(std::span<const std::byte> record);
  bool find_in(std::span<const std::byte> features, std::size_t& position);
  Place place_of(std::string_view name, std::size_t position);

  std::vector<Feature> features_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Seen> seen_;                         // the features of the record before, as they came
  std::vector<std::span<const std::byte>> found_;  // for each of features_, its message in this record
  std::size_t malformed_at_ = 0;
};

// One feature to write.
struct NamedValues {
  std::string_view name;
  std::variant<std::span<const std::string_view>, std::span<const float>, std::span<const std::int64_t>> values;
};

std::vector<std::byte> example_of(std::span<const NamedValues> features);

}  // namespace carrack::data
