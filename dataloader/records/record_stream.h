// Records in turn, many a call, wherever they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "dataloader/records/byte_stream.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Record {
  std::span<const std::byte> data;
  std::uint64_t offset = 0;  // of its frame in the file, or of the record in what a generator gave
};

// Good records in a row, at least one; valid until the next call.
struct Records {
  std::uint64_t first = 0;  // the number of the first in its file
  std::span<const Record> records;
};

struct EndOfFile {};

class RecordStream {
 public:
  virtual ~RecordStream() = default;

  virtual std::variant<Records, EndOfFile, Corrupt> next() = 0;
  // Known once something was read.
  virtual Seek resume() const = 0;
};

}  // namespace carrack::data
