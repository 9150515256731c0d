// Reads the directory of a ZIP archive, for .npz files: which files are in it, and where. Follows PKWARE's APPNOTE 6.3,
// with archives beyond 4 GiB (ZIP64). open_zip_member() reads the files themselves.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// One file in the archive, as the directory describes it.
struct ZipMember {
  static constexpr std::uint16_t stored = 0, deflated = 8;  // the methods that open_zip_member() supports

  std::string name;
  std::uint16_t flags = 0;         // general purpose bits; bit 0: encrypted
  std::uint16_t method = 0;        // of compression; may be another than these two
  std::uint32_t crc = 0;           // CRC-32 of the unpacked content
  std::uint64_t packed_bytes = 0;  // the size of the content in the archive
  std::uint64_t size_bytes = 0;    // the size of the unpacked content
  std::uint64_t offset = 0;        // the offset of the member's own header in the archive
  bool operator==(const ZipMember&) const = default;
};

// Returns the members of the archive, in the order of its directory. Returns Corrupt if the file is not a ZIP archive
// of one part or has changed, or its directory is damaged or longer than 64 MiB. The members themselves are not
// checked. Throws Error if the storage fails.
std::variant<std::vector<ZipMember>, Corrupt> read_zip_directory(const ByteSource& archive);

}  // namespace carrack::data
