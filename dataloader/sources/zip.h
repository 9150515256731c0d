// The files within a ZIP archive, APPNOTE 6.3: stored or deflated, also beyond 4 GiB. Each is found by the directory at
// the archive's end, and its bytes are believed once its checksum holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct ZipMember {
  static constexpr std::uint16_t stored = 0, deflated = 8;  // of all methods those that are read

  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;  // bytes that it takes
  std::uint64_t size = 0;    // bytes that it holds
  std::uint64_t offset = 0;  // of its own header
  bool operator==(const ZipMember&) const = default;
};

std::variant<std::vector<ZipMember>, Corrupt> zip_members(const ByteSource& archive);

// What the member holds, all of which is read once here: what is stored stays in the archive, which must outlive it;
// what is deflated is inflated into memory. Throws an Error where there is not enough of it.
std::variant<std::unique_ptr<const ByteSource>, Corrupt> open_zip_member(const ByteSource& archive,
                                                                         const ZipMember& member);

}  // namespace carrack::data
