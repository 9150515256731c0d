// The files that a conversion writes: their names and their formats. To add a format, add what encodes its pieces, or a
// RecordSink.
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
  std::string stem;    // path/x of path/x.tfrecord.gz
  std::string ending;  // .tfrecord.gz
  bool json_lines = false;
  Compression compression = Compression::none;

  // "x.tfrecord" for a single shard, otherwise "x-00003-of-00010.tfrecord".
  std::string name(std::uint64_t shard, std::uint64_t shards) const;
  // Matches the shards of every number of shards under this name.
  std::string pattern() const;
};

// `compression` is that of --compression; nullopt: the ending decides. Throws Refused for a name that cannot be
// written.
Output parse_output(const std::string& to, const std::optional<Compression>& compression);

// Writes one file of records. A sink that is destroyed before commit() leaves no file. As encoding may run in other
// threads, the Error of one record may be thrown by a later write() or by commit(). For one thread at a time.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void write(std::span<const std::byte> record) = 0;
  // Call it once, after the last write(). Returns nullopt as ObjectWriter::commit() does.
  virtual std::optional<ObjectStat> commit() = 0;
};

// Up to `threads` threads encode, if the format allows it; the bytes of the file do not depend on it.
std::unique_ptr<RecordSink> make_sink(const Output& output, std::unique_ptr<ObjectWriter> object, unsigned threads);

}  // namespace carrack::data::cli
