// The directory of a ZIP archive, APPNOTE 6.3, also of archives beyond 4 GiB.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct ZipMember {
  static constexpr std::uint16_t stored = 0, deflated = 8;  // the methods that open_zip_member() supports

  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t size_bytes = 0;  // when unpacked
  std::uint64_t offset = 0;      // of the member's own header in the archive
  bool operator==(const ZipMember&) const = default;
};

// Reads the directory, which is at the end of the archive. At most 64 MiB of directory are read.
std::variant<std::vector<ZipMember>, Corrupt> read_zip_directory(const ByteSource& archive);

}  // namespace carrack::data
