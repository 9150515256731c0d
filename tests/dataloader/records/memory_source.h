// Bytes in memory as a source of records; a test may cut or change them behind the reader's back.
#pragma once

#include <cstring>
#include <string>
#include <utility>

#include "dataloader/records/byte_source.h"

namespace carrack::data {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes content, std::string name = "x.tfrecord")
      : ByteSource(std::move(name), {content.size(), {"1"}}), bytes(std::move(content)) {}

  ReadResult read(std::span<const Slice> slices) const override {
    for (const Slice& slice : slices) {
      if (slice.offset + slice.into.size() > bytes.size()) return ReadResult::past_end;
      if (!slice.into.empty()) std::memcpy(slice.into.data(), bytes.data() + slice.offset, slice.into.size());
    }
    return ReadResult::complete;
  }

  Bytes bytes;
};

}  // namespace carrack::data
