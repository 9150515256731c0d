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
      : bytes(std::move(content)), name_(std::move(name)), stat_{bytes.size(), {"1"}} {}

  const std::string& name() const override { return name_; }
  const ObjectStat& stat() const override { return stat_; }
  ReadResult read(std::span<const Slice> slices) const override {
    for (const Slice& slice : slices) {
      if (slice.offset + slice.into.size() > bytes.size()) return ReadResult::past_end;
      if (!slice.into.empty()) std::memcpy(slice.into.data(), bytes.data() + slice.offset, slice.into.size());
    }
    return ReadResult::complete;
  }

  Bytes bytes;

 private:
  std::string name_;
  ObjectStat stat_;
};

}  // namespace carrack::data
