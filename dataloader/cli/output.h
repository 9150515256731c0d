// What a conversion writes: the names of its files, and records in each format. Another format is another Sink.
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
  std::string stem;    // x of x.tfrecord.gz
  std::string ending;  // .tfrecord.gz
  bool json_lines = false;
  Compression compression = Compression::none;

  // "x.tfrecord", or of several "x-00003-of-00010.tfrecord".
  std::string name(std::uint64_t shard, std::uint64_t shards) const;
  // Of all shards that were ever written under this name, however many they were.
  std::string pattern() const;
};

// From the name and the compression that were typed, if one was. Throws Refused for what makes no sense.
Output output_from(const std::string& to, const std::optional<Compression>& compression);

// One file of records.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::span<const std::byte> record) = 0;
  // As the object's: nothing if it must not exist and does. Called once, last.
  virtual std::optional<ObjectStat> commit() = 0;
};

// By so many threads, where the format allows; the bytes do not depend on it.
std::unique_ptr<Sink> sink_for(const Output& output, std::unique_ptr<ObjectWriter> object, unsigned threads);

}  // namespace carrack::data::cli
