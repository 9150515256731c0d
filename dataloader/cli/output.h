// The files that a conversion writes: their names and their formats. To add a format, add a function that encodes
// pieces of it, or a RecordSink, to output.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/compression.h"
#include "dataloader/storage/storage.h"

namespace carrack::data::cli {

struct Output {
  std::string stem;         // "path/x" for path/x.tfrecord.gz
  std::string ending;       // ".tfrecord.gz" for path/x.tfrecord.gz; may be empty
  bool json_lines = false;  // each record becomes a line of JSON; false: TFRecords
  Compression compression = Compression::none;

  // Returns "x.tfrecord" if `shards` is 1, otherwise "x-00003-of-00010.tfrecord". `shard` counts from 0.
  std::string name(std::uint64_t shard, std::uint64_t shards) const;
  // Returns a pattern that matches all names of shards, for any number of shards up to 99,999.
  std::string pattern() const;
};

// Parses --to and --compression. If `compression` is nullopt, the ending of the name decides. Throws Refused for a
// folder or pattern, and for a format or compression that is not written.
Output parse_output(const std::string& to, const std::optional<Compression>& compression);

// Writes one file of records. A sink that is destroyed before commit() leaves no file. Records may be encoded and
// written later, in other threads, so an Error may be thrown by a later write() or by commit(). After an exception only
// destroy the sink: the file would lack records. For one thread at a time.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void write(std::span<const std::byte> record) = 0;
  // Makes the file visible, even without records. Call it once, after the last write(). Returns nullopt if the file
  // must not exist but does.
  virtual std::optional<ObjectStat> commit() = 0;
};

// Returns a sink that writes records to `object`. Up to `threads` threads, at least 1, encode JSON lines and GZIP; the
// bytes of the file do not depend on their number.
std::unique_ptr<RecordSink> make_sink(const Output& output, std::unique_ptr<ObjectWriter> object, unsigned threads);

}  // namespace carrack::data::cli
