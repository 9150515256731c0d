// Parses serialized tf.Examples and tf.SequenceExamples into the columns of a batch, like tf.io.parse_example().
// Features that were not requested are skipped. Safe for any bytes.
//   ExampleParser parser(features);
//   std::vector<Column> columns = parser.columns(records.size());
//   for (std::size_t row = 0; row < records.size(); ++row)
//     if (auto mismatch = parser.parse(records[row].data, row, columns)) ...;  // the record cannot be used
//   parser.pad(columns);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/records/example.h"
#include "dataloader/records/example_map.h"
#include "dataloader/records/example_values.h"
#include "dataloader/records/repeated_layout.h"

namespace carrack::data {

// Remembers the order of the features in the last record, which speeds up the next record. Not thread-safe: use one
// parser for each thread.
class ExampleParser {
 public:
  // Throws Error for requests that check_features() (example.h) refuses.
  explicit ExampleParser(std::vector<Feature> features);

  // Returns a column for each feature, in their order. Columns of Shape::item have `rows` rows, others have none.
  std::vector<Column> columns(std::size_t rows) const;
  // Writes the values of `record` into row `row` of each column, which columns() has made. Strings are not copied: they
  // point into `record`, or to the text of a default. Returns nullopt on success. Otherwise returns why the record does
  // not have what was requested; the row is then unspecified, and the caller may write another record into it.
  // Columns of lists must be written in ascending order of rows; the last row may be written again. A skipped row is
  // empty once a later row is written; rows that are skipped at the end have no splits.
  std::optional<Mismatch> parse(std::span<const std::byte> record, std::size_t row, std::span<Column> columns);
  // Pads the columns of Shape::padded. Call it once, after the last row has been written.
  void pad(std::span<Column> columns) const;

 private:
  using View = std::span<const std::byte>;
  struct Requested {
    Feature feature;
    std::size_t place;                    // its index in features_ or feature_lists_
    std::vector<std::size_t> partitions;  // indexes in features_, for each partition of the feature
  };
  struct Fault {
    const std::byte* at;  // the first bad byte; nullptr if the record lacks the feature
    std::string message;
  };

  std::vector<RepeatedLayoutParser::Item> items_of(View record) const;
  const std::byte* find(View record);
  const ExampleMap::Found& found(const Requested& requested) const {
    return (requested.feature.part == Part::features ? features_ : feature_lists_).at(requested.place);
  }
  bool fill_usual(const Requested& requested, std::size_t row, Column& column) const;
  std::optional<Fault> fill(const Requested& requested, std::size_t row, Column& column);
  template <typename Value>
  std::optional<Fault> fill_item(const Requested& requested, std::size_t row, LargeVector<Value>& values);
  template <typename Value>
  std::optional<Fault> fill_list(const Requested& requested, LargeVector<Value>& values, Column& column);
  template <typename Value>
  std::optional<Fault> fill_steps(const Requested& requested, LargeVector<Value>& values, Column& column);
  template <typename Value>
  std::optional<Fault> fill_step(const Feature& feature, std::size_t number, View step, LargeVector<Value>& values);
  static Fault fault(const Feature& requested, const std::string& subject, View message, const Parsed& parsed,
                     std::size_t values);
  std::optional<Fault> append_splits(const Requested& requested, std::size_t items, Column& column);
  std::optional<Fault> read_lengths(const Requested& requested, std::size_t level);

  std::vector<Requested> requested_;
  RepeatedLayoutParser layout_;
  ExampleMap features_{false};
  ExampleMap feature_lists_{true};
  LargeVector<std::int64_t> lengths_;  // the lengths of the lists of one partition; see read_lengths()
};

}  // namespace carrack::data
