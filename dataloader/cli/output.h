// The files that `carrack data convert --to OUT` writes: their names, and a RecordSink for each format (TFRecords, and
// JSON lines). To add a format, add a function that encodes pieces of it, or a RecordSink, to output.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/compression.h"
#include "dataloader/storage/storage.h"

namespace carrack::data::cli {

// OUT, in parts.
struct Output {
  std::string stem;         // "path/x" for path/x.tfrecord.gz
  std::string ending;       // ".tfrecord.gz" for path/x.tfrecord.gz; may be empty
  bool json_lines = false;  // each record becomes a line of JSON; false: TFRecords
  Compression compression = Compression::none;

  // Returns the name of one file: name(0, 1) is "x.tfrecord", and name(3, 10) is "x-00003-of-00010.tfrecord". `shard`
  // counts from 0; `shards` is the number of files.
  std::string name(std::uint64_t shard, std::uint64_t shards) const;
  // Returns "x-?????-of-?????.tfrecord", which matches the names of all shards of any conversion to this OUT.
  std::string pattern() const;
};

// Parses --to and --compression; does not look at storage. If `compression` is nullopt, the ending of the name decides:
// .gz or .zlib. Throws Refused for a name that ends with a slash, for a pattern, and for a format or compression that
// is not written, such as .parquet.
Output parse_output(const std::string& to, const std::optional<Compression>& compression);

// Writes one file of records. If the sink is destroyed before commit(), no file is written. Records are copied, and may
// be encoded and written later. So the Error for a failed write may come from a later write() or from commit(). After
// an exception only destroy the sink: the file would lack records. For one thread at a time.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void write(std::span<const std::byte> record) = 0;
  // Makes the file visible, even without records, and returns its size and version. Call it once, after the last
  // write(). Returns nullopt, and writes no file, if the ObjectWriter must not replace a file and one exists.
  virtual std::optional<ObjectStat> commit() = 0;
};

// Returns a sink that writes records to `object` in the format of `output`. Up to `threads` threads, at least 1, encode
// JSON lines and GZIP; the bytes of the file do not depend on their number.
std::unique_ptr<RecordSink> make_sink(const Output& output, std::unique_ptr<ObjectWriter> object, unsigned threads);

}  // namespace carrack::data::cli
