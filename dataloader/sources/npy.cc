#include "dataloader/sources/npy.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t header_max_bytes = std::size_t{1} << 20;

// Returns the size of the array in bytes; nullopt if it overflows 64 bits.
std::optional<std::uint64_t> size_of(const NpyArray& array) {
  std::uint64_t size = data::size_of(array.type.number);
  if (std::ranges::find(array.shape, 0u) != array.shape.end()) return 0;
  for (const std::uint64_t length : array.shape)
    if (__builtin_mul_overflow(size, length, &size)) return std::nullopt;
  return size;
}

// Reads and checks the header of a .npy file.
class HeaderReader {
 public:
  explicit HeaderReader(const ByteSource& file) : file_(file) {}

  // Reads the header. Returns the offset of the array in the file, and the array's type and shape.
  std::variant<std::pair<std::uint64_t, NpyArray>, Corrupt> read_header() {
    if (!read(std::size_t{4} << 10)) return fault(Fault::changed, fault_text(Fault::changed));
    const std::string_view text = wire::text_of(bytes_);
    if (!text.starts_with(magic)) return fault(Fault::wrong_kind, "it does not begin as an array of numpy's does");
    if (text.size() < 12) return fault(Fault::truncated, "the file ends within its header");
    const unsigned major = std::to_integer<unsigned>(bytes_[6]), minor = std::to_integer<unsigned>(bytes_[7]);
    if (major < 1 || major > 3 || minor != 0)
      return fault(Fault::wrong_kind, "it is of version " + std::to_string(major) + "." + std::to_string(minor) +
                                          ", and 1.0, 2.0 and 3.0 are read");
    const std::size_t begin = major == 1 ? 10 : 12;
    const std::size_t size =
        major == 1 ? number_at<std::uint16_t>(bytes_.data() + 8) : number_at<std::uint32_t>(bytes_.data() + 8);
    if (size > header_max_bytes) return fault(Fault::wrong_kind, "its header is longer than 1 MiB");
    if (begin + size > file_.stat().size) return fault(Fault::truncated, "the file ends within its header");
    if (!read(begin + size)) return fault(Fault::changed, fault_text(Fault::changed));
    auto array = parse_npy_header(wire::text_of(bytes_).substr(begin, size));
    if (const std::string* problem = std::get_if<std::string>(&array)) return fault(Fault::wrong_kind, *problem);
    return whole(begin + size, std::get<NpyArray>(std::move(array)));
  }

 private:
  // Returns the offset and the array if the array ends where the file ends, else a fault.
  std::variant<std::pair<std::uint64_t, NpyArray>, Corrupt> whole(std::uint64_t begin, NpyArray array) const {
    const std::uint64_t there = file_.stat().size - begin;
    const std::optional<std::uint64_t> size = size_of(array);
    if (!size || *size > there)
      return fault(Fault::truncated,
                   "the file ends within the array: " +
                       (size ? std::to_string(*size) + " bytes" : std::string("more bytes than any file has")) +
                       " are said, and " + std::to_string(there) + " are there");
    if (*size < there) return fault(Fault::wrong_kind, std::to_string(there - *size) + " bytes follow the array");
    return std::pair(begin, std::move(array));
  }

  // Reads until the first `size` bytes of the file are in bytes_. Returns false if the file has changed.
  bool read(std::size_t size) {
    const std::size_t had = bytes_.size();
    bytes_.resize(std::max<std::size_t>(had, std::min<std::uint64_t>(size, file_.stat().size)));
    return file_.read_at(had, std::span(bytes_).subspan(had)) == ReadResult::complete;
  }

  Corrupt fault(Fault fault, std::string message) const {
    return {fault, file_.name(), 0, 0, file_.stat().size, std::move(message), false, "row"};
  }

  const ByteSource& file_;
  Bytes bytes_;
};

using Number = ArrayType::Number;

// Reads the header's text token by token. It is a Python dictionary, such as {'descr': '<f4', 'fortran_order': False,
// 'shape': (3, 2), }.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  // Consumes a string and returns its content. Returns nullopt if none comes next, and for a string with escapes, which
  // no name or type has.
  std::optional<std::string_view> string() {
    for (const char quote : {'\'', '"'}) {
      if (!take(std::string_view(&quote, 1))) continue;
      const std::size_t end = text_.find(quote);
      if (end == text_.npos || text_.substr(0, end).find('\\') != text_.npos) return std::nullopt;
      const std::string_view found = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      return found;
    }
    return std::nullopt;
  }
  std::optional<bool> truth() {
    if (take("True")) return true;
    return take("False") ? std::optional(false) : std::nullopt;
  }
  std::optional<std::vector<std::uint64_t>> tuple() {
    std::vector<std::uint64_t> numbers;
    bool has_comma = true;
    if (!take("(")) return std::nullopt;
    while (!take(")")) {
      std::uint64_t number = 0;
      take("");  // skips blanks
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      if (!has_comma || error != std::errc()) return std::nullopt;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      take("L");  // Python 2 may write an L after a number
      numbers.push_back(number);
      has_comma = take(",");
    }
    if (numbers.size() == 1 && !has_comma) return std::nullopt;
    return numbers;
  }
  bool at_end() {
    take("");  // skips blanks
    return text_.empty();
  }

 private:
  std::string_view text_;
};

const char* kind_text(char kind) {
  constexpr std::pair<std::string_view, const char*> kinds[] = {{"O", "Python objects"},
                                                                {"SUa", "strings"},
                                                                {"V", "raw bytes or records"},
                                                                {"c", "complex numbers"},
                                                                {"Mm", "times"}};
  for (const auto& [letters, text] : kinds)
    if (letters.find(kind) != letters.npos) return text;
  return "numbers of no type that is known here";
}

// Returns the type that numpy writes as `descr`, such as "<f4"; or what is wrong with it.
std::variant<ArrayType, std::string> type_of(std::string_view descr) {
  const std::string refused = "it holds '" + std::string(descr) + "', ";
  if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    return refused + "which is not a type";
  constexpr std::pair<std::string_view, Number> known[] = {
      {"b1", Number::boolean}, {"u1", Number::uint8},   {"i1", Number::int8},    {"u2", Number::uint16},
      {"i2", Number::int16},   {"u4", Number::uint32},  {"i4", Number::int32},   {"u8", Number::uint64},
      {"i8", Number::int64},   {"f2", Number::float16}, {"f4", Number::float32}, {"f8", Number::float64}};
  for (const auto& [name, number] : known) {
    if (descr.substr(1) != name) continue;
    if (descr[0] == '|' && size_of(number) > 1) return refused + "which says no order of bytes";
    return ArrayType{number, descr[0] == '>' && size_of(number) > 1};
  }
  return refused + kind_text(descr[1]) + "; what is read is bool, int8 to int64, uint8 to uint64, float16 to float64";
}

}  // namespace

std::variant<ArrayRows, Corrupt> open_npy(std::unique_ptr<const ByteSource> file) {
  auto found = HeaderReader(*file).read_header();
  if (Corrupt* corrupt = std::get_if<Corrupt>(&found)) return std::move(*corrupt);
  auto& [begin, array] = std::get<0>(found);
  return ArrayRows(std::move(file), begin, array.type, std::move(array.shape));
}

std::variant<NpyArray, std::string> parse_npy_header(std::string_view dictionary) {
  Literal text(dictionary);
  std::optional<std::string_view> descr;
  std::optional<bool> is_fortran;
  std::optional<std::vector<std::uint64_t>> shape;
  bool is_whole = text.take("{");
  while (is_whole && !text.take("}")) {
    const std::optional<std::string_view> name = text.string();
    is_whole = name && text.take(":");
    if (is_whole && *name == "descr" && !descr) {
      if (text.take("[")) return "it holds records of several fields, which are not read; save each field as an array";
      descr = text.string();
      is_whole = descr.has_value();
    } else if (is_whole && *name == "fortran_order" && !is_fortran) {
      is_fortran = text.truth();
      is_whole = is_fortran.has_value();
    } else if (is_whole && *name == "shape" && !shape) {
      shape = text.tuple();
      is_whole = shape.has_value();
    } else {
      is_whole = false;
    }
    if (is_whole && !text.take(",")) {
      is_whole = text.take("}");
      break;
    }
  }
  if (!is_whole || !text.at_end() || !descr || !is_fortran || !shape)
    return "its header is not as numpy writes it: " + std::string(dictionary.substr(0, 80));
  if (shape->empty()) return "it is a single number, and has no axis along which there are rows";
  if (*is_fortran && shape->size() > 1)
    return "it is in Fortran order, in which no row lies together; save numpy.ascontiguousarray of it";
  auto type = type_of(*descr);
  if (std::string* problem = std::get_if<std::string>(&type)) return std::move(*problem);
  return NpyArray{std::get<ArrayType>(type), *std::move(shape)};
}

}  // namespace carrack::data
