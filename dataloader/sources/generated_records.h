// GeneratedRecords: adapts a function that returns one record at a time to the interface RecordStream, for records that
// are computed and are not in a file. Only users of the library use it, Carrack itself does not.
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
  // The function: returns the next record, which must stay valid until the next call, or nullopt at the end. next()
  // calls it on the thread that calls next(), and not again after the end. Must not be an empty std::function.
  using Generate = std::function<std::optional<std::span<const std::byte>>()>;

  // Each next() calls the function until its records have at least `piece` bytes in all, or the function ends. `piece`
  // must not be 0.
  explicit GeneratedRecords(Generate generate, std::size_t piece = std::size_t{256} << 10)
      : generate_(std::move(generate)), piece_(piece) {}

  // Copies the records. An exception of the function passes through: the records that this call had collected are lost,
  // and a later call continues with the next record.
  std::variant<Records, EndOfFile, Corrupt> next() override;
  Seek resume() const override { return Seek::never; }

 private:
  Generate generate_;
  std::size_t piece_;
  Bytes bytes_;  // the returned records, one after the other
  std::vector<Record> records_;
  std::uint64_t number_ = 0;  // the number of the next record
  std::uint64_t offset_ = 0;  // the offset of bytes_ in all bytes that the function has returned
  bool has_ended_ = false;
};

}  // namespace carrack::data
