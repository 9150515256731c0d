#include "dataloader/records/text_index.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "dataloader/records/first_bytes.h"

namespace carrack::data {
namespace {

// Parses a line of a text index, `OFFSET SIZE`. Returns nullopt if the line is malformed.
std::optional<Index::Extent> extent_in(std::string_view line) {
  Index::Extent extent;
  const char* end = line.data() + line.size();
  const auto [blank, bad_offset] = std::from_chars(line.data(), end, extent.offset);
  if (bad_offset != std::errc() || blank == end || *blank != ' ') return std::nullopt;
  const auto [rest, bad_size] = std::from_chars(blank + 1, end, extent.size);
  if (bad_size != std::errc() || rest != end) return std::nullopt;
  return extent;
}

std::string words_for(const Index::Extent& extent) {
  return std::to_string(extent.size) + " bytes long at byte " + std::to_string(extent.offset);
}

// Compares a line of a text index with the record of that number in `index`. Returns what is wrong with the line, or
// nullopt. `record` may be one past the last record: the file then has no such record.
std::optional<std::string> mismatch(std::string_view line, const Index& index, std::uint64_t record) {
  const std::string where = "line " + std::to_string(record + 1) + ": ";
  const std::optional<Index::Extent> said = extent_in(line);
  if (!said) return where + "expects a record's offset and size in bytes, such as `0 19`";
  if (record == index.records())
    return where + "the file has no more than " + std::to_string(record) + " records; make the index again";
  const Index::Extent found = index.at(record);
  if (*said == found) return std::nullopt;
  return where + "says that record " + std::to_string(record) + " is " + words_for(*said) + ", and it is " +
         words_for(found) + "; make the index again";
}

}  // namespace

std::string text_index_of(const Index& index) {
  std::string text;
  for (std::uint64_t record = 0; record < index.records(); ++record) {
    const Index::Extent extent = index.at(record);
    text += std::to_string(extent.offset) + " " + std::to_string(extent.size) + "\n";
  }
  return text;
}

std::variant<Index, std::string> index_from_text(std::string_view text, const ByteSource& file) {
  if (compression_of(kind_of_file(file)) != Compression::none) return file.name() + ": " + compressed_text_index;
  std::variant<Index, Corrupt> built = build_index(file);
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&built)) return data::text(*corrupt);
  Index& index = std::get<Index>(built);
  std::uint64_t record = 0;
  for (; !text.empty(); ++record) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto problem = mismatch(text.substr(0, end), index, record)) return *problem;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (record < index.records())
    return "ends after " + std::to_string(record) + " of " + std::to_string(index.records()) +
           " records; make the index again";
  return std::move(index);
}

}  // namespace carrack::data
