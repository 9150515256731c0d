// Lists all features of a serialized tf.Example or tf.SequenceExample, for callers that do not know what a record
// contains, such as `carrack data` when it describes a file, and trainer/look when it checks the records of a job. If
// the names are known, ExampleParser is faster. Unusual encodings are read as docs/formats/example.md says. Not
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dataloader/records/example.h"
#include "dataloader/records/example_writer.h"

namespace carrack::data {

// One feature of the record. All members point into the record or into the ExampleWalker.
struct WalkedFeature {
  std::string_view name;
  Part part = Part::features;
  std::optional<Dtype> dtype;          // nullopt for a feature list in which no step has a list of values
  ValuesView values;                   // for a feature list, the values of all steps, one after the other
  std::span<const std::size_t> steps;  // the number of values of each step; empty for Part::features
};

class ExampleWalker {
 public:
  enum class Message : std::uint8_t { example, sequence_example, other };

  // Parses a record and returns which message it is. `other` means that the record or a feature in it is malformed, or
  // that a feature has values of two types. A SequenceExample without feature lists, and an empty record, are
  // `example`.
  Message walk(std::span<const std::byte> record);
  // The features of the last record, sorted by part, then by name; not meaningful if walk() returned `other`. Leaves
  // out features of Part::features without a list of values. The result points into the record and into this object,
  // and is valid until the next walk().
  std::span<const WalkedFeature> features() const { return features_; }

 private:
  using View = std::span<const std::byte>;
  struct Entry {
    Part part;
    std::string_view name;
    View value;
  };
  // Where the values and the steps of a feature begin in the vectors below.
  struct Begin {
    std::array<std::size_t, 3> values;  // in strings_, floats_ and ints_
    std::size_t steps;
  };

  bool take_map(Part part, View message);
  void keep_one_of_each_name();
  bool take(const Entry& entry);
  bool take_list(View message, std::optional<Dtype>& dtype);
  bool take_steps(View message, std::optional<Dtype>& dtype);
  Begin here() const;
  void point_to_values();

  std::vector<Entry> entries_;
  std::vector<WalkedFeature> features_;
  std::vector<Begin> begins_;  // one for each of features_, and one for the end
  LargeVector<std::string_view> strings_;
  LargeVector<float> floats_;
  LargeVector<std::int64_t> ints_;
  std::vector<std::size_t> steps_;
};

}  // namespace carrack::data
