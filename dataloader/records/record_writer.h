// Writes a TFRecord file, optionally compressed. commit() makes the file visible, with all its records; without
// commit() it never appears. Throws Error if the storage fails. Not thread-safe.
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

  // Copies the record, whose length is not checked.
  void write(std::span<const std::byte> record);
  // Call it once, last. Returns the new object; nullopt, and the existing object is not replaced, if `object` was
  // created with must_not_exist and an object exists.
  std::optional<ObjectStat> commit();

 private:
  void flush();

  std::unique_ptr<ObjectWriter> object_;
  std::optional<Deflater> deflater_;
  Bytes frames_;    // not yet written
  Bytes deflated_;  // compressed bytes, not yet written
};

}  // namespace carrack::data
