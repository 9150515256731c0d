// What is asked of tf.Examples and tf.SequenceExamples, and what a batch of them gives, docs/formats/example.md.
// One parser serves both messages: an Example is a SequenceExample of whose feature lists nothing is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/memory/large_vector.h"

namespace carrack::data {

// The numbers are those of the lists in tf.Feature.
enum class Dtype : std::uint8_t { bytes = 1, float32 = 2, int64 = 3 };

// In the order of Dtype. Strings lie in the records' memory, or in that of a default.
using Values = std::variant<LargeVector<std::string_view>, LargeVector<float>, LargeVector<std::int64_t>>;

// Where a feature stands in the record.
enum class Part : std::uint8_t {
  features,       // an Example's features, which are a SequenceExample's context
  feature_lists,  // a SequenceExample's feature lists: items are steps
};

// What a record's row of the column is. An item is `count` values.
enum class Shape : std::uint8_t {
  item,    // one item in each record
  list,    // any number of items
  padded,  // any number of items, then more up to the longest row of the batch
  lists,   // any number of lists of items: of each step, or of what partitions cut
};

// Numbers that a bytes feature may hold behind each other, little-endian.
enum class Raw : std::uint8_t { uint8, int8, uint16, int16, uint32, int32, int64, float16, bfloat16, float32, float64 };

// Cuts a list into lists, as an int64 feature beside it says: by the length of each, or by where each begins and the
// last one ends.
struct Partition {
  enum class Kind : std::uint8_t { lengths, splits };
  std::string feature;
  Kind kind = Kind::lengths;
};

// What is asked of each record.
struct Feature {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::size_t count = 1;  // values in an item
  Shape shape = Shape::item;
  Part part = Part::features;
  // The feature holds bytes, and these are the numbers: for an int64 column whole ones, for a float column any.
  std::optional<Raw> raw = {};
  // Of an item, its values where the record lacks the feature; of padding, the one value, else 0 or "". Its strings
  // must outlive the columns.
  std::optional<Values> default_values = {};
  // Of lists in `features`, the outermost first.
  std::vector<Partition> partitions = {};
  // A feature list that a record lacks is one without steps. (A list in `features` may always be absent, and is empty.)
  bool may_be_missing = false;
};

// One feature of many records, row after row.
struct Column {
  Values values;
  // Where the rows of a list begin, and behind them where the last one ends, in items; of lists first in lists, and so
  // on inwards. No splits where each row is one item.
  std::vector<std::vector<std::size_t>> splits = {};
  // Once it is padded, the items of each row; the splits still say how many of them the record had.
  std::optional<std::size_t> longest = {};

  bool operator==(const Column&) const = default;
};

// Why a record does not give what was asked for.
struct Mismatch {
  std::size_t offset = 0;  // in the record, of the byte or the feature at fault where there is one
  std::string message;
};

// Throws an Error where what is asked for makes no sense.
void check_features(const std::vector<Feature>& features);

}  // namespace carrack::data
