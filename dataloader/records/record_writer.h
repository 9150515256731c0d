// RecordWriter: writes a TFRecord file, optionally compressed, as tf.io.TFRecordWriter does. commit() makes the file
// visible, with all its records; without commit() it never appears. All functions throw Error if the storage fails.
// Not thread-safe.
//   RecordWriter writer(storage.create("gs://b/x.tfrecord", {}), Compression::gzip);
//   writer.write(record);
//   writer.commit();
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

  // Appends a record: adds its length and checksums, and copies it. Its length is not checked, so a record above 2 GiB
  // is written and then refused by readers.
  void write(std::span<const std::byte> record);
  // Call it once, last. Returns the size and version of the new file. If `object` was created with must_not_exist and a
  // file exists, returns nullopt and does not replace it.
  std::optional<ObjectStat> commit();

 private:
  void flush();

  std::unique_ptr<ObjectWriter> object_;
  std::optional<Deflater> deflater_;
  Bytes frames_;    // not yet written
  Bytes deflated_;  // compressed bytes, not yet written
};

}  // namespace carrack::data
