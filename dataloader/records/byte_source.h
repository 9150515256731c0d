// The bytes that records are read from: one version of an object in a Storage, or memory. Safe to read from several
// threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "dataloader/storage/storage.h"

namespace carrack::data {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // The name for messages, as the user wrote it.
  virtual const std::string& name() const = 0;
  virtual const ObjectStat& stat() const = 0;
  // See Storage::is_remote().
  virtual bool is_remote() const { return false; }
  // Fills all slices, which must lie within the source. Any other result than `complete` means that the object has
  // changed. Throws an Error if the storage fails.
  virtual ReadResult read(std::span<const Slice> slices) const = 0;
  // Reads all of it in turn, with read-ahead where the storage has it. The source must outlive the reader.
  virtual std::unique_ptr<ObjectReader> open() const {
    return reader_by([this](std::span<const Slice> slices) { return read(slices); }, stat().size);
  }
};

// An object in a storage, which must outlive it.
class StoredObject final : public ByteSource {
 public:
  StoredObject(Storage& storage, std::string url, ObjectStat stat)
      : storage_(storage), url_(std::move(url)), stat_(std::move(stat)) {}

  const std::string& name() const override { return url_; }
  const ObjectStat& stat() const override { return stat_; }
  bool is_remote() const override { return storage_.is_remote(); }
  ReadResult read(std::span<const Slice> slices) const override { return storage_.read(url_, slices, stat_.version); }
  std::unique_ptr<ObjectReader> open() const override { return storage_.open(url_, stat_); }

 private:
  Storage& storage_;
  std::string url_;
  ObjectStat stat_;
};

}  // namespace carrack::data
