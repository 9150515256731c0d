#include "dataloader/indexes/stored_index.h"

#include <array>

#include "dataloader/error.h"
#include "dataloader/records/seek_points.h"

namespace carrack::data {
namespace {

// The header of an index is shorter than this. A record has at least 16 bytes in its file and fewer than 9 in its
// index, so the index of a file that is not compressed is longer than the file by at most the header.
constexpr std::uint64_t header_max_bytes = 4096;
// The maximum size of an index, which some 400 million records reach.
constexpr std::uint64_t index_max_bytes = std::uint64_t{1} << 30;

// Reads an index and checks that it fits the file. Returns Replaced if the index has changed since it was listed, or
// why the index cannot be used.
std::variant<Index, Replaced, std::string> decoded(Storage& storage, const Listed& index, const Listed& file) {
  if (index.stat.size > index_max_bytes) return "it is longer than 1 GiB";
  if (index.stat.size > file.stat.size + header_max_bytes) {  // Only the index of a compressed file may be so long.
    std::array<std::byte, 8> begin{};
    const Slice slice{0, begin};
    if (storage.read(index.url, {&slice, 1}, index.stat.version) != ReadResult::complete) return Replaced();
    if (!begins_with_seek_points(begin)) return "it is longer than an index of its file can be";
  }
  Bytes bytes(index.stat.size);
  const Slice whole{0, bytes};
  if (storage.read(index.url, {&whole, 1}, index.stat.version) != ReadResult::complete) return Replaced();
  std::variant<Index, std::string> found = index_from(bytes);
  if (std::string* why = std::get_if<std::string>(&found)) return std::move(*why);
  if (std::get<Index>(found).stored() != file.stat) return "it is that of another version of its file";
  return std::get<Index>(std::move(found));
}

}  // namespace

std::variant<Index, Replaced, std::string> read_index_or_throw(Storage& storage, const Listed& index,
                                                               const Listed& file) {
  std::variant<Index, Replaced, std::string> found = decoded(storage, index, file);
  if (auto* why = std::get_if<std::string>(&found)) *why = index.url + ": " + *why;
  return found;
}

std::variant<Index, Replaced, std::string> read_index(Storage& storage, const Listed& index, const Listed& file) {
  try {
    return read_index_or_throw(storage, index, file);
  } catch (const Error& error) {  // The message of a storage's Error already names the URL.
    return error.what();
  }
}

}  // namespace carrack::data
