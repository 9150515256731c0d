// RecordStream: the interface to read records from first to last, many in each call. A record is the bytes of one entry
// of a TFRecord file, usually a serialized tf.Example. RecordReader implements it for files and the output of programs,
// and GeneratedRecords for functions. Carrack itself uses RecordReader directly; the interface is for users of the
// library. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "dataloader/records/byte_stream.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Record {
  // The bytes of the record, which belong to the stream. If it is a RecordReader, the header and footer of the record's
  // frame (frame.h) surround them in memory.
  std::span<const std::byte> data;
  std::uint64_t offset = 0;  // of its frame in the file; from GeneratedRecords, of its data in all data so far
};

// Consecutive good records, at least one; valid until the next call of next().
struct Records {
  std::uint64_t first = 0;  // the number of the first record in its file, from 0
  std::span<const Record> records;
};

struct EndOfFile {};

class RecordStream {
 public:
  virtual ~RecordStream() = default;

  // Returns the next records, EndOfFile (again at further calls), or a Corrupt: something that cannot be read. After a
  // Corrupt the next call continues with what follows it. Throws Error if the storage fails.
  virtual std::variant<Records, EndOfFile, Corrupt> next() = 0;
  // Returns whether another stream of the same file can begin at a later record, and at what cost (byte_stream.h). Call
  // it after the first next().
  virtual Seek resume() const = 0;
};

}  // namespace carrack::data
