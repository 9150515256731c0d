// ByteSource: the bytes that records are read from, at any offset (like pread): one version of an object in a Storage,
// a part or the inflated bytes of another source, or memory. Safe to read from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

class ByteSource {
 public:
  // `name` is what messages call the source. `stat` has its size, and the version of the object that it comes from.
  ByteSource(std::string name, ObjectStat stat) : name_(std::move(name)), stat_(std::move(stat)) {}
  virtual ~ByteSource() = default;

  const std::string& name() const { return name_; }
  const ObjectStat& stat() const { return stat_; }
  // True if each read takes a network request: see Storage::is_remote().
  virtual bool is_remote() const { return false; }
  // True if these are the inflated bytes of a compressed file. A read that does not continue an earlier read may have
  // to inflate some megabytes before its own bytes, so few large reads are faster than many small ones.
  virtual bool is_inflated() const { return false; }
  // Fills all slices, at least one, which must lie within the source. Any other result than `complete` means that the
  // object was changed or removed; the content of the slices is then unspecified. Throws Error if the storage fails.
  virtual ReadResult read(std::span<const Slice> slices) const = 0;
  // Fills `into` with the bytes from `offset` on, by read(). For an empty `into` it returns `complete` without a read.
  ReadResult read_at(std::uint64_t offset, std::span<std::byte> into) const {
    const Slice slice{offset, into};
    return into.empty() ? ReadResult::complete : read({&slice, 1});
  }
  // Returns a reader of the whole source from its first byte on. The source must outlive the reader. Only the reader of
  // a StoredObject may read ahead; whether it does depends on the storage.
  virtual std::unique_ptr<ObjectReader> open() const {
    return reader_by([this](std::span<const Slice> slices) { return read(slices); }, stat().size);
  }

 private:
  std::string name_;
  ObjectStat stat_;
};

// An object in a storage, which must outlive it. The name of the source is the object's URL.
class StoredObject final : public ByteSource {
 public:
  StoredObject(Storage& storage, std::string url, ObjectStat stat)
      : ByteSource(std::move(url), std::move(stat)), storage_(storage) {}

  bool is_remote() const override { return storage_.is_remote(); }
  ReadResult read(std::span<const Slice> slices) const override {
    return storage_.read(name(), slices, stat().version);
  }
  std::unique_ptr<ObjectReader> open() const override { return storage_.open(name(), stat()); }

 private:
  Storage& storage_;
};

// `size` bytes of another source from `offset` on, with its version and a name of its own. The other source must
// outlive it. A slice beyond its end is ReadResult::past_end.
class PartOfSource final : public ByteSource {
 public:
  PartOfSource(const ByteSource& whole, std::string name, std::uint64_t offset, std::uint64_t size)
      : ByteSource(std::move(name), {size, whole.stat().version}), whole_(whole), offset_(offset) {}

  bool is_remote() const override { return whole_.is_remote(); }
  ReadResult read(std::span<const Slice> slices) const override {
    std::vector<Slice> moved(slices.begin(), slices.end());
    for (Slice& slice : moved) {
      if (slice.offset > stat().size || slice.into.size() > stat().size - slice.offset) return ReadResult::past_end;
      slice.offset += offset_;
    }
    return whole_.read(moved);
  }

 private:
  const ByteSource& whole_;
  const std::uint64_t offset_;
};

}  // namespace carrack::data
