// What a bundle knows of a tensor: its type, its shape, and which bytes of which shard hold which part of it.
// `problem_in` is what every decoder and writer holds a tensor against, so a Bundle in memory is always sound:
// parts lie within the shape, cover each element exactly once, and are as long as their elements.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carrack::checkpoint {

// TensorFlow's numbers. A bundle may hold others, which have no name and no element size here.
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

std::string name_of(DType dtype);
// In bytes; none where elements have no one size (strings) or are of an unknown type.
std::optional<std::uint64_t> element_size(DType dtype);
// Whether TensorFlow's reader puts a tensor of this type together from slices; it knows some types only whole.
bool readable_in_slices(DType dtype);

using Shape = std::vector<std::int64_t>;
// "[2,3]"; a scalar's is "[]".
std::string text_of(const Shape& shape);

// A run of indices of one dimension.
struct Extent {
  std::int64_t start = 0;
  std::int64_t length = 0;
  bool operator==(const Extent&) const = default;
  bool operator<(const Extent& other) const {
    return start != other.start ? start < other.start : length < other.length;
  }
};

struct Part {
  std::vector<Extent> extents;  // One for each dimension.
  std::uint32_t shard = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;  // Of the bytes, as it is; files hold it masked.
  bool operator==(const Part&) const = default;
};

// Parts stand in the order of their first element.
struct Tensor {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<Part> parts;
  bool operator==(const Tensor&) const = default;
};

constexpr std::uint32_t most_shards = 99999;  // Their names have five digits.

struct Bundle {
  std::uint32_t shards = 0;
  std::map<std::string, Tensor> tensors;
  bool operator==(const Bundle&) const = default;
};

std::vector<Extent> whole(const Shape& shape);
bool is_whole(const Part& part, const Shape& shape);
// Whether the part is a run of whole rows, a row being what one index of the first dimension names.
bool is_rows(const Part& part, const Shape& shape);

// Elements of all dimensions together; none if that, times 16 bytes, does not fit in 63 bits or a dimension is
// negative.
std::optional<std::uint64_t> element_count(std::span<const std::int64_t> shape);

// What is wrong with the tensor, as the end of a sentence that starts with its name.
std::optional<std::string> problem_in(const Tensor& tensor);

}  // namespace carrack::checkpoint
