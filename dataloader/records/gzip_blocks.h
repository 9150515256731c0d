// GZIP files whose members hold the same number of bytes each, so that any member can be read without those before it.
// Other programs read them as ordinary GZIP.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

// The bytes that a member inflates to; the last one may be shorter.
constexpr std::size_t gzip_block = std::size_t{256} << 10;

// Compresses one member.
Bytes gzip_member(std::span<const std::byte> bytes);

// The `size` inflated bytes of a file whose members are at the extents of `members`. A damaged member reads as zeros;
// the checksums of records then find each record that is lost. `members` must have one extent for each `gzip_block`
// bytes of `size`, all within `file`; this is not checked here.
std::unique_ptr<const ByteSource> inflated(std::unique_ptr<const ByteSource> file, Index members, std::uint64_t size);

}  // namespace carrack::data
