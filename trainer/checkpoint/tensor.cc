#include "trainer/checkpoint/tensor.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace carrack::checkpoint {
namespace {

// Parts that are not runs of rows are compared pair by pair, so their number is limited. Only TensorFlow's partitioners
// write such parts.
constexpr std::size_t boxes_max = 1024;

struct TypeInfo {
  DType dtype;
  std::string_view name;
  std::uint64_t size;  // in bytes; 0 if elements differ in size
  bool readable_in_slices;
};

constexpr std::array<TypeInfo, 14> types{{
    {DType::float32, "float32", 4, true},
    {DType::float64, "float64", 8, true},
    {DType::int32, "int32", 4, true},
    {DType::uint8, "uint8", 1, true},
    {DType::int16, "int16", 2, true},
    {DType::int8, "int8", 1, true},
    {DType::string, "string", 0, false},
    {DType::int64, "int64", 8, true},
    {DType::boolean, "bool", 1, true},
    {DType::bfloat16, "bfloat16", 2, true},
    {DType::uint16, "uint16", 2, false},
    {DType::float16, "float16", 2, false},
    {DType::uint32, "uint32", 4, false},
    {DType::uint64, "uint64", 8, false},
}};

const TypeInfo* type_info(DType dtype) {
  const auto* found = std::find_if(types.begin(), types.end(), [&](auto& one) { return one.dtype == dtype; });
  return found == types.end() ? nullptr : found;
}

std::uint64_t element_count(const Part& part) {
  std::uint64_t count = 1;
  for (const Extent extent : part.extents) count *= static_cast<std::uint64_t>(extent.length);
  return count;
}

bool inside(const Part& part, const Shape& shape) {
  if (part.extents.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Extent extent = part.extents[i];
    // A bundle cannot store an empty extent, unless the whole dimension is empty.
    const std::int64_t length_min = shape[i] == 0 ? 0 : 1;
    if (extent.start < 0 || extent.length < length_min || extent.start > shape[i]) return false;
    if (extent.length > shape[i] - extent.start) return false;
  }
  return true;
}

bool overlap(const Part& one, const Part& other) {
  for (std::size_t i = 0; i < one.extents.size(); ++i) {
    const Extent a = one.extents[i];
    const Extent b = other.extents[i];
    if (a.start + a.length <= b.start || b.start + b.length <= a.start) return false;
  }
  return true;
}

std::string rows_text(std::int64_t from, std::int64_t to, const char* where) {
  return "has rows [" + std::to_string(from) + ", " + std::to_string(to) + ") " + where;
}

// For parts that are runs of rows, in order. Returns which rows are missing or there twice; nullopt if none.
std::optional<std::string> problem_in_rows(const Tensor& tensor) {
  std::int64_t covered = 0;
  for (const Part& part : tensor.parts) {
    const Extent rows = part.extents.front();
    if (rows.start > covered) return rows_text(covered, rows.start, "nowhere");
    if (rows.start < covered) return rows_text(rows.start, covered, "twice");
    covered += rows.length;
  }
  if (covered < tensor.shape.front()) return rows_text(covered, tensor.shape.front(), "nowhere");
  return std::nullopt;
}

// For parts of any form. Returns a problem unless each of the tensor's `elements` is in exactly one part.
std::optional<std::string> problem_in_boxes(const Tensor& tensor, std::uint64_t elements) {
  if (tensor.parts.size() > boxes_max) {
    return "has " + std::to_string(tensor.parts.size()) + " slices that are not runs of rows; at most " +
           std::to_string(boxes_max) + " can be read";
  }
  for (std::size_t i = 0; i < tensor.parts.size(); ++i) {
    elements -= element_count(tensor.parts[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(tensor.parts[i], tensor.parts[j])) return "has slices that overlap";
    }
  }
  if (elements != 0) return "has elements in no slice";
  return std::nullopt;
}

}  // namespace

std::string name_of(DType dtype) {
  const TypeInfo* found = type_info(dtype);
  return found ? std::string(found->name) : "type " + std::to_string(static_cast<std::uint64_t>(dtype));
}

std::optional<std::uint64_t> element_size(DType dtype) {
  const TypeInfo* found = type_info(dtype);
  if (!found || found->size == 0) return std::nullopt;
  return found->size;
}

bool readable_in_slices(DType dtype) {
  const TypeInfo* found = type_info(dtype);
  return found && found->readable_in_slices;
}

std::string text_of(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? "," : "") + std::to_string(size);
  return text + "]";
}

std::vector<Extent> whole(const Shape& shape) {
  std::vector<Extent> extents;
  for (const std::int64_t size : shape) extents.push_back({.start = 0, .length = size});
  return extents;
}

bool is_whole(const Part& part, const Shape& shape) {
  return part.extents == whole(shape);
}

bool is_rows(const Part& part, const Shape& shape) {
  if (shape.empty()) return false;
  const std::vector<Extent> all = whole(shape);
  return std::equal(all.begin() + 1, all.end(), part.extents.begin() + 1);
}

std::optional<std::uint64_t> element_count(std::span<const std::int64_t> shape) {
  // Dimensions of zero count as one, so that they do not hide impossible sizes of the others.
  constexpr std::uint64_t elements_max = (std::uint64_t{1} << 63) / 16;
  std::uint64_t bound = 1;
  bool is_empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    is_empty = is_empty || size == 0;
    const std::uint64_t factor = size == 0 ? 1 : static_cast<std::uint64_t>(size);
    if (factor > elements_max / bound) return std::nullopt;
    bound *= factor;
  }
  return is_empty ? 0 : bound;
}

std::optional<std::string> problem_in(const Tensor& tensor) {
  const std::optional<std::uint64_t> elements = element_count(tensor.shape);
  if (!elements) return "has the impossible shape " + text_of(tensor.shape);
  const std::optional<std::uint64_t> bytes = element_size(tensor.dtype);
  if (tensor.parts.empty()) return "has no bytes";
  bool rows_only = true;
  for (const Part& part : tensor.parts) {
    if (!inside(part, tensor.shape)) return "has a slice outside its shape " + text_of(tensor.shape);
    if (bytes && part.size != element_count(part) * *bytes) {
      return "has " + std::to_string(part.size) + " bytes for " + std::to_string(element_count(part)) +
             " elements of " + name_of(tensor.dtype);
    }
    if (part.offset + part.size < part.offset) return "has bytes beyond the end of any file";
    rows_only = rows_only && is_rows(part, tensor.shape);
  }
  if (tensor.parts.size() == 1 && is_whole(tensor.parts.front(), tensor.shape)) return std::nullopt;
  return rows_only ? problem_in_rows(tensor) : problem_in_boxes(tensor, *elements);
}

}  // namespace carrack::checkpoint
