// Records that a function makes, one a call, handed out many at once like those of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/records/record_stream.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class GeneratedRecords final : public RecordStream {
 public:
  // The next record, which stays until the next call, or nothing once there is none.
  using Generate = std::function<std::optional<std::span<const std::byte>>()>;

  explicit GeneratedRecords(Generate generate, std::size_t piece = std::size_t{256} << 10)
      : generate_(std::move(generate)), piece_(piece) {}

  // What the function throws passes through; the records before it are lost.
  std::variant<Records, EndOfFile, Corrupt> next() override;
  Seek resume() const override { return Seek::never; }

 private:
  Generate generate_;
  std::size_t piece_;
  Bytes bytes_;  // of the records that are handed out
  std::vector<Record> records_;
  std::uint64_t number_ = 0;  // of the next record
  std::uint64_t offset_ = 0;  // of bytes_ in all that was made
  bool has_ended_ = false;
};

}  // namespace carrack::data
