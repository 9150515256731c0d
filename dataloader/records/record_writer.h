// Writes a TFRecord file, compressed if so asked. All of its records appear at once, with the commit.
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
  // As the object's: nothing if it must not exist and does. Called once, last.
  std::optional<ObjectStat> commit();

 private:
  void flush();

  std::unique_ptr<ObjectWriter> object_;
  std::optional<Deflater> deflater_;
  Bytes frames_;
  Bytes deflated_;
};

}  // namespace carrack::data
