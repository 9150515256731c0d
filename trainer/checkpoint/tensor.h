// Describes the tensors of a checkpoint, without their values: type, shape, and which bytes of which shard (file)
// contain which part. Bundle is the decoded index of a checkpoint in TensorFlow's format. decode_index()
// (bundle.h) and merge() (shard.h) check all tensors with problem_in(), so their Bundles are valid: parts are within
// the shape, cover each element exactly once, and have the size of their elements, if that is fixed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carrack::checkpoint {

// The types of elements, with the numbers of TensorFlow's DataType. A value may also be another number, of a type that
// is unknown here; name_of() and element_size() accept it.
enum class DType : std::uint64_t {
  float32 = 1,
  float64 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 5,
  int8 = 6,
  string = 7,
  int64 = 9,
  boolean = 10,
  bfloat16 = 14,
  uint16 = 17,
  float16 = 19,
  uint32 = 22,
  uint64 = 23,
};

// Returns a name such as "float32", or "type 5" for a number that has no name here.
std::string name_of(DType dtype);
// Returns the size in bytes; nullopt for strings, whose elements differ in size, and for types without a name.
std::optional<std::uint64_t> element_size(DType dtype);
// True if TensorFlow can read a tensor of this type in slices. It can read some types only whole.
bool readable_in_slices(DType dtype);

using Shape = std::vector<std::int64_t>;
// Returns "[2,3]"; "[]" for a scalar.
std::string text_of(const Shape& shape);

// A range of indices in one dimension.
struct Extent {
  std::int64_t start = 0;
  std::int64_t length = 0;
  bool operator==(const Extent&) const = default;
  bool operator<(const Extent& other) const {
    return start != other.start ? start < other.start : length < other.length;
  }
};

// A part of a tensor: a box of indices, in row-major order in consecutive bytes of a shard. TensorFlow calls it a
// slice.
struct Part {
  std::vector<Extent> extents;  // one for each dimension
  std::uint32_t shard = 0;
  std::uint64_t offset = 0;  // in bytes, within the shard
  std::uint64_t size = 0;    // in bytes
  std::uint32_t crc32c = 0;  // CRC-32C of these bytes, not masked; files store it masked
  bool operator==(const Part&) const = default;
};

// `parts` are in the order of their first elements.
struct Tensor {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<Part> parts;
  bool operator==(const Tensor&) const = default;
};

constexpr std::uint32_t shards_max = 99999;  // because names of shards have five digits

struct Bundle {
  std::uint32_t shards = 0;               // number of shards
  std::map<std::string, Tensor> tensors;  // by name
  bool operator==(const Bundle&) const = default;
};

// Returns the extents of a part that is the whole tensor.
std::vector<Extent> whole(const Shape& shape);
// True if the part is the whole tensor.
bool is_whole(const Part& part, const Shape& shape);
// True if the part is a run of whole rows: only its first extent may be less than the dimension. False for a scalar.
bool is_rows(const Part& part, const Shape& shape);

// The number of elements. nullopt if a dimension is negative, or if the product, in which 0 counts as 1, is above 2^59.
std::optional<std::uint64_t> element_count(std::span<const std::int64_t> shape);

// Returns the first problem of the tensor, as the end of a sentence that begins with its name; nullopt if it is valid.
std::optional<std::string> problem_in(const Tensor& tensor);

}  // namespace carrack::checkpoint
