// Bytes in memory as sources of records: one whose bytes a test may cut or change behind the reader's back, and one
// that counts what is read.
#pragma once

#include <algorithm>
#include <cstdint>
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

struct BytesRead {
  std::uint64_t all = 0;
  std::uint64_t at_once_max = 0;
};

// Counts the bytes that are read.
class CountingSource final : public ByteSource {
 public:
  CountingSource(const Bytes& file, BytesRead& count)
      : ByteSource("x.tfrecord", {file.size(), {"1"}}), file_(file), count_(count) {}
  ReadResult read(std::span<const Slice> slices) const override {
    std::uint64_t bytes = 0;
    for (const Slice& slice : slices) bytes += slice.into.size();
    count_.all += bytes;
    count_.at_once_max = std::max(count_.at_once_max, bytes);
    return file_.read(slices);
  }

 private:
  const MemorySource file_;
  BytesRead& count_;
};

}  // namespace carrack::data
