// Writes a TFRecord file, optionally compressed. The file appears with commit(), with all records; without it, never.
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
  // nullopt if the object must not exist and does. Call once, last.
  std::optional<ObjectStat> commit();

 private:
  void flush();

  std::unique_ptr<ObjectWriter> object_;
  std::optional<Deflater> deflater_;
  Bytes frames_;
  Bytes deflated_;
};

}  // namespace carrack::data
