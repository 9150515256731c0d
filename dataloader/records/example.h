// The types that describe how tf.Examples and tf.SequenceExamples are parsed. A caller lists Features, as the user
// wrote them in the manifest, and an ExampleParser (example_parser.h) parses records into one Column for each Feature,
// like tf.io.parse_example(). The readers of CSV, JSON lines and arrays use the same types. docs/formats/example.md.
//
// A request for an image of 28x28 floats and its label:
//   {{.name = "image", .dtype = Dtype::float32, .count = 784}, {.name = "label", .dtype = Dtype::int64}}
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

// The type of the values of a column. The numbers are the field numbers in tf.Feature.
enum class Dtype : std::uint8_t { bytes = 1, float32 = 2, int64 = 3 };

// The values of a column. The alternatives are in the order of Dtype. Strings point into the memory of the records, or
// of a default value.
using Values = std::variant<LargeVector<std::string_view>, LargeVector<float>, LargeVector<std::int64_t>>;

// The part of a record that a feature is in.
enum class Part : std::uint8_t {
  features,       // the features of an Example, or the context of a SequenceExample
  feature_lists,  // the feature lists of a SequenceExample; each step is an item, or with Shape::lists a list of items
};

// What a row of a column consists of. An item is Feature::count values.
enum class Shape : std::uint8_t {
  item,    // one item in each record
  list,    // any number of items
  padded,  // any number of items, padded to the longest row of the batch
  lists,   // any number of lists of items: one list for each step, or as Feature::partitions divide them
};

// The type of the numbers that a bytes feature holds, little-endian, one after the other.
enum class Raw : std::uint8_t { uint8, int8, uint16, int16, uint32, int32, int64, float16, bfloat16, float32, float64 };

// Divides a flat list into lists, by the values of another feature of the same record, which has type int64. This is
// tf.io.RaggedFeature's partition. The items a b c are divided into [a b] [c] by the lengths 2 1, or by the splits 0 2
// 3. With several partitions the innermost one counts items, and each other one counts the lists that the next inner
// one makes.
struct Partition {
  enum class Kind : std::uint8_t { lengths, splits };
  std::string feature;  // the name of that feature, which need not be requested
  Kind kind = Kind::lengths;
};

// A request for one feature, which becomes one Column.
struct Feature {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::size_t count = 1;  // the number of values in an item, at least 1
  Shape shape = Shape::item;
  Part part = Part::features;
  // Set if the record has the numbers as bytes, like tf.io.decode_raw() reads them: the type of these numbers. They are
  // converted to `dtype`. A column of int64 needs an integer type. A column of float32 accepts any type. Not allowed
  // for a column of bytes.
  std::optional<Raw> raw = {};
  // For Shape::item, the `count` values of a record without the feature; if not set, such a record is a fault. For
  // Shape::padded, the one value that is used as padding; if not set, 0 or "". Not allowed for other shapes. The text
  // of strings must outlive the columns.
  std::optional<Values> default_values = {};
  // The outermost partition first. Required for Shape::lists in Part::features, and not allowed otherwise.
  std::vector<Partition> partitions = {};
  // Treats a missing feature list as one without steps; only for Part::feature_lists. (In Part::features a missing list
  // is always an empty list.)
  bool may_be_missing = false;
};

// One feature of many records: one row for each record, row after row. The strings point into memory that the column
// does not own. Three rows of Shape::list, [7 8] [] [9], are values = 7 8 9 and splits[0] = 0 2 2 3.
struct Column {
  Values values;
  // Empty for Shape::item. For lists, row r has the items from splits[0][r] up to, but not including, splits[0][r + 1].
  // For lists of lists, splits[0] counts lists in this way, and list l has the items from splits[1][l] up to, but not
  // including, splits[1][l + 1]. Deeper levels follow.
  std::vector<std::vector<std::size_t>> splits = {};
  // For Shape::padded after pad(): the number of items in each row, with padding. nullopt before, and for other shapes.
  // The splits still count the items without padding.
  std::optional<std::size_t> longest = {};

  bool operator==(const Column&) const = default;
};

// Why a record does not have what was requested.
struct Mismatch {
  std::size_t offset = 0;  // in the record, of the bad byte or feature; 0 if the record lacks the feature
  std::string message;
};

// Throws Error if a request is not allowed, for example has a count of 0 or a default of another type than its column,
// or if a name is requested twice in the same Part.
void check_features(const std::vector<Feature>& features);

}  // namespace carrack::data
