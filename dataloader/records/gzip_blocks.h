// GZIP files whose members each hold as many bytes, so that any of them are read without those before. Whoever reads
// GZIP reads such a file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

// What a member holds, but for the last one.
constexpr std::size_t gzip_block = std::size_t{256} << 10;

Bytes gzip_member(std::span<const std::byte> bytes);

// The inflated bytes, so many, of a file whose members begin where `members` says. What cannot be inflated reads as
// zeros: records have checksums of their own, so each one that is lost with it has a name.
std::unique_ptr<const ByteSource> inflated(std::unique_ptr<const ByteSource> file, Index members, std::uint64_t size);

}  // namespace carrack::data
