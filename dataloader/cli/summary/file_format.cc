#include "dataloader/cli/summary/file_format.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "dataloader/images/image_header.h"
#include "dataloader/records/wire.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

using std::string_view_literals::operator""sv;

struct Format {
  std::string_view magic;
  std::string_view description;
};

constexpr std::array known_formats = {
    Format{"CRRKIDX1"sv, "an index of Carrack's"},
    Format{"PAR1"sv, "a Parquet file"},
    Format{"ARROW1"sv, "an Arrow file"},
    Format{"ORC"sv, "an ORC file"},
    Format{"Obj\x01"sv, "an Avro file"},
    Format{"\x93NUMPY"sv, "a NumPy array (npy)"},
    Format{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    Format{"SQLite format 3"sv, "an SQLite database"},
    Format{"PK\x03\x04"sv, "a ZIP archive, as npz files are"},
    Format{"\x28\xb5\x2f\xfd"sv, "compressed with zstd"},
    Format{"\xfd\x37zXZ\x00"sv, "compressed with xz"},
    Format{"BZh"sv, "compressed with bzip2"},
    Format{"\xff\x06\x00\x00sNaPpY"sv, "compressed with Snappy"},
};

// Returns whether the first bytes of a file are text. The last character may be incomplete, because the bytes can end
// within it; up to three bytes at the end do not count.
bool begins_as_text(std::string_view bytes) {
  for (std::size_t cut = 0; cut < std::min<std::size_t>(4, bytes.size()); ++cut)
    if (is_text(bytes.substr(0, bytes.size() - cut))) return true;
  return false;
}

}  // namespace

std::string guess_format(std::span<const std::byte> first_bytes) {
  const std::string_view text = wire::text_of(first_bytes.first(std::min(first_bytes.size(), guess_bytes)));
  if (const auto image = image_header_in(first_bytes))
    return "a " + std::string(image->format) + " image of " + std::to_string(image->width) + "x" +
           std::to_string(image->height);
  for (const Format& format : known_formats)
    if (text.starts_with(format.magic)) return std::string(format.description);
  if (!begins_as_text(text)) return "of unknown kind";
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && (text[first] == '{' || text[first] == '[') ? "JSON" : "text";
}

}  // namespace carrack::data::cli
