// MemoryByteSource: a ByteSource whose bytes are in memory, for functions that read a file through a ByteSource: for
// compressed arrays of .npz files, and for rows of CSV and JSON lines that the pipeline has read already. Its version
// is empty.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "dataloader/records/byte_source.h"

namespace carrack::data {

class MemoryByteSource final : public ByteSource {
 public:
  // `bytes` must outlive this object and not change.
  MemoryByteSource(std::string name, std::span<const std::byte> bytes)
      : ByteSource(std::move(name), {bytes.size(), {}}), bytes_(bytes) {}
  // Owns the bytes.
  MemoryByteSource(std::string name, Bytes bytes)
      : ByteSource(std::move(name), {bytes.size(), {}}), owned_(std::move(bytes)), bytes_(owned_) {}
  MemoryByteSource(const MemoryByteSource&) = delete;
  MemoryByteSource& operator=(const MemoryByteSource&) = delete;

  ReadResult read(std::span<const Slice> slices) const override {
    for (const Slice& slice : slices) {
      if (slice.offset > bytes_.size() || slice.into.size() > bytes_.size() - slice.offset) return ReadResult::past_end;
      if (!slice.into.empty()) std::memcpy(slice.into.data(), bytes_.data() + slice.offset, slice.into.size());
    }
    return ReadResult::complete;
  }

 private:
  Bytes owned_;
  std::span<const std::byte> bytes_;
};

}  // namespace carrack::data
