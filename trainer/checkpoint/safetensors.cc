#include "trainer/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "dataloader/sources/json_scanner.h"
#include "dataloader/text.h"
#include "trainer/checkpoint/integers.h"

namespace carrack::checkpoint {
namespace {

using data::JsonScanner;
using std::to_string;

constexpr std::size_t dimensions_max = 32;
constexpr std::size_t shown_max = 200;

constexpr std::array<std::pair<std::string_view, DType>, 13> types{{{"F64", DType::float64},
                                                                    {"F32", DType::float32},
                                                                    {"F16", DType::float16},
                                                                    {"BF16", DType::bfloat16},
                                                                    {"I64", DType::int64},
                                                                    {"I32", DType::int32},
                                                                    {"I16", DType::int16},
                                                                    {"I8", DType::int8},
                                                                    {"U64", DType::uint64},
                                                                    {"U32", DType::uint32},
                                                                    {"U16", DType::uint16},
                                                                    {"U8", DType::uint8},
                                                                    {"BOOL", DType::boolean}}};

std::optional<DType> dtype_of(std::string_view type) {
  const auto* found = std::ranges::find(types, type, [](const auto& one) { return one.first; });
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

// The fields of a tensor in the header; nullopt: not found yet.
struct Description {
  std::optional<std::string> type;
  std::optional<Shape> shape;
  std::optional<std::vector<std::int64_t>> offsets;
};

bool read(JsonScanner& json, std::optional<std::string>& text) {
  if (text) return json.fail("the field is there twice");
  const auto found = json.string();
  if (!found) return json.fail("a text in quotes was expected");
  text = std::string(*found);
  return true;
}

bool read(JsonScanner& json, std::optional<std::vector<std::int64_t>>& numbers) {
  if (numbers) return json.fail("the field is there twice");
  numbers.emplace();
  if (!json.take('[')) return json.fail("a list was expected");
  if (json.take(']')) return true;
  do {
    const auto text = json.number();
    const auto number = text ? data::number_in<std::int64_t>(*text) : std::nullopt;
    if (!number || *number < 0) return json.fail("a whole number from 0 to 9223372036854775807 was expected");
    if (numbers->size() == dimensions_max) return json.fail("the list is longer than 32 numbers");
    numbers->push_back(*number);
  } while (json.take(','));
  return json.take(']') || json.fail("a comma or ] was expected");
}

bool read(JsonScanner& json, Description& tensor) {
  return data::read_object(json, [&](std::string_view field) {
    if (field == "dtype") return read(json, tensor.type);
    if (field == "shape") return read(json, tensor.shape);
    if (field == "data_offsets") return read(json, tensor.offsets);
    return json.skip();
  });
}

class HeaderDecoder {
 public:
  // The data of the file follows the header: `data_size` bytes from byte `data_begin` on.
  HeaderDecoder(std::uint64_t data_begin, std::uint64_t data_size) : data_begin_(data_begin), data_size_(data_size) {}

  Decoded<SafeTensors> decode(std::string header) {
    if (!header.starts_with('{')) return Corrupt{"the header does not begin with {"};
    JsonScanner json(header);
    const bool is_read = data::read_object(json, [&](std::string_view name) {
      if (name == "__metadata__") return json.skip();
      Description tensor;
      if (!read(json, tensor)) return false;
      problem_ = add(std::string(name), std::move(tensor));
      return !problem_;
    });
    if (problem_) return Corrupt{*std::move(problem_)};
    if (!is_read) return wrong(json);
    if (!json.at_end()) return Corrupt{"the header has text after its object"};
    if (auto problem = problem_in_offsets()) return Corrupt{*std::move(problem)};
    return std::move(tensors_);
  }

 private:
  static Corrupt wrong(const JsonScanner& json) {
    return {"the header is wrong at its byte " + to_string(json.problem_at()) + ": " + json.problem()};
  }

  static std::string called(const std::string& name) { return "tensor " + data::excerpt(name, shown_max); }

  // Returns what is wrong with the tensor; nullopt if it was added.
  std::optional<std::string> add(const std::string& name, Description description) {
    const std::string tensor = called(name);
    if (!description.type || !description.shape || !description.offsets) {
      return tensor + " lacks dtype, shape or data_offsets";
    }
    const std::vector<std::int64_t>& offsets = *description.offsets;
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      return tensor + " has data_offsets that are no range of bytes";
    }
    const std::optional<std::uint64_t> elements = element_count(*description.shape);
    if (!elements) return tensor + " has the impossible shape " + text_of(*description.shape);
    const auto begin = static_cast<std::uint64_t>(offsets[0]), end = static_cast<std::uint64_t>(offsets[1]);
    if (end > data_size_) {
      return tensor + " ends at byte " + to_string(end) + " of the data, which has " + to_string(data_size_);
    }
    const std::optional<DType> dtype = dtype_of(*description.type);
    if (dtype && end - begin != *elements * element_size(*dtype).value()) {
      return tensor + " has " + to_string(end - begin) + " bytes for " + to_string(*elements) + " elements of " +
             *description.type;
    }
    SafeTensor added{*std::move(description.type), dtype, *std::move(description.shape), data_begin_ + begin,
                     end - begin};
    if (!tensors_.emplace(name, std::move(added)).second) return tensor + " is there twice";
    return std::nullopt;
  }

  // Returns why the tensors do not cover each byte of the data exactly once; nullopt if they do.
  std::optional<std::string> problem_in_offsets() const {
    std::vector<SafeTensors::const_iterator> in_order;
    for (auto at = tensors_.begin(); at != tensors_.end(); ++at) in_order.push_back(at);
    std::ranges::sort(in_order, {}, [](auto at) { return std::tuple(at->second.offset, at->second.size); });
    std::uint64_t expected = data_begin_;
    for (const auto& at : in_order) {
      if (at->second.offset != expected) {
        return called(at->first) + " begins at byte " + to_string(at->second.offset - data_begin_) +
               " of the data, and what is before it ends at " + to_string(expected - data_begin_);
      }
      expected += at->second.size;
    }
    const std::uint64_t left = data_begin_ + data_size_ - expected;
    if (left == 0) return std::nullopt;
    return "the data has " + data::counted(left, "byte") + " after its last tensor";
  }

  std::uint64_t data_begin_;
  std::uint64_t data_size_;
  SafeTensors tensors_;
  std::optional<std::string> problem_;
};

}  // namespace

Decoded<std::uint64_t> safetensors_header_size(std::string_view first, std::uint64_t file_size) {
  Cursor cursor(first);
  const std::uint64_t size = cursor.fixed64();
  if (cursor.failed()) return Corrupt{"has " + to_string(file_size) + " bytes; the size of its header alone takes 8"};
  if (size > file_size - safetensors_size_bytes) {
    return Corrupt{"its header has " + to_string(size) + " bytes, and there are " +
                   to_string(file_size - safetensors_size_bytes) + "; it is cut, or no safetensors file"};
  }
  if (size > safetensors_header_max) {
    return Corrupt{"its header has " + to_string(size) + " bytes; at most " + to_string(safetensors_header_max) +
                   " are read"};
  }
  return size;
}

Decoded<SafeTensors> decode_safetensors(std::string header, std::uint64_t file_size) {
  const std::uint64_t data_begin = safetensors_size_bytes + header.size();
  return HeaderDecoder(data_begin, file_size - data_begin).decode(std::move(header));
}

}  // namespace carrack::checkpoint
