// tf.Example and tf.SequenceExample from a record's bytes straight into the columns of a batch. What a record holds
// beside the features asked for is skipped unread. Any bytes give values or a Mismatch, and no more memory is taken
// than what the record's own bytes hold.
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

// It remembers the order of the last record's features, as files have the same one throughout: one parser a thread.
class ExampleParser {
 public:
  // Throws an Error where what is asked for makes no sense.
  explicit ExampleParser(std::vector<Feature> features);

  // A column for each feature, in their order, with room for this many rows.
  std::vector<Column> columns(std::size_t rows) const;
  // Writes the record's values into `row` of each column, which after a Mismatch holds anything. Rows that are lists
  // are to be written in order; the last one may be written again, and one that is left out is empty.
  std::optional<Mismatch> parse(std::span<const std::byte> record, std::size_t row, std::span<Column> columns);
  // Once the last row is written: makes the rows that are to be padded as long as the longest.
  void pad(std::span<Column> columns) const;

 private:
  using View = std::span<const std::byte>;
  struct Asked {
    Feature feature;
    std::size_t place;                    // of its entry in its part
    std::vector<std::size_t> partitions;  // of theirs
  };
  // What stands in the way, and at which byte.
  struct Fault {
    const std::byte* at;
    std::string message;
  };

  std::vector<RepeatedLayoutParser::Item> items_of(View record) const;
  const std::byte* find(View record);
  const ExampleMap::Found& found(const Asked& asked) const {
    return (asked.feature.part == Part::features ? features_ : feature_lists_).at(asked.place);
  }
  bool fill_usual(const Asked& asked, std::size_t row, Column& column) const;
  std::optional<Fault> fill(const Asked& asked, std::size_t row, Column& column);
  template <typename Value>
  std::optional<Fault> fill_item(const Asked& asked, std::size_t row, LargeVector<Value>& values);
  template <typename Value>
  std::optional<Fault> fill_list(const Asked& asked, LargeVector<Value>& values, Column& column);
  template <typename Value>
  std::optional<Fault> fill_steps(const Asked& asked, LargeVector<Value>& values, Column& column);
  template <typename Value>
  std::optional<Fault> fill_step(const Feature& feature, std::size_t number, View step, LargeVector<Value>& values);
  static Fault fault(const Feature& asked, const std::string& subject, View message, const Parsed& parsed,
                     std::size_t values);
  std::optional<Fault> cut(const Asked& asked, std::size_t items, Column& column);
  std::optional<Fault> read_lengths(const Asked& asked, std::size_t level);

  std::vector<Asked> asked_;
  RepeatedLayoutParser mold_;
  ExampleMap features_{false};
  ExampleMap feature_lists_{true};
  LargeVector<std::int64_t> lengths_;  // of the lists of a partition
};

}  // namespace carrack::data
