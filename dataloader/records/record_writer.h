// Writes a TFRecord file, optionally compressed. commit() makes the file visible, with all its records; without
// commit() it never appears.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "dataloader/records/compression.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class RecordWriter {
 public:
  explicit RecordWriter(std::unique_ptr<ObjectWriter> object, Compression compression = Compression::none);

  void write(std::span<const std::byte> record);
  // Call it once, last. Returns nullopt, and replaces nothing, if the object must not exist but does.
  std::optional<ObjectStat> commit();

 private:
  void flush();

  std::unique_ptr<ObjectWriter> object_;
  std::optional<Deflater> deflater_;
  Bytes frames_;
  Bytes deflated_;
};

}  // namespace carrack::data
