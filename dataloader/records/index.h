// An Index says where each record of a TFRecord file begins, docs/formats/index.md. Any record is found in constant
// time, and the index of a file with short records takes two or three bytes a record. An index belongs to one version
// of one file. The index of a compressed file says where records begin in the inflated bytes, and has the seek points
// of the file. Decoding is safe for any bytes. Immutable, so safe to use from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/seek_points.h"

namespace carrack::data {

class Index {
 public:
  // Where the frame of a record lies, or a damaged span.
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool operator==(const Extent&) const = default;
  };

  // `offsets` are where the frames of the records begin: the first is 0, and the others ascend. Each record ends where
  // the next record begins, the last record at the end of the file. `file` and `contents` are returned by file() and
  // contents(). Nothing is checked.
  Index(ObjectStat file, std::span<const std::uint64_t> offsets, std::uint32_t contents);
  // Returns the index of a compressed file with these seek points. This index, which is moved from, must be the index
  // of the inflated bytes.
  Index with(SeekPoints points) &&;

  // The version of the file, and the size of the bytes that the records fill. These are the inflated bytes if the file
  // is compressed.
  const ObjectStat& file() const { return file_; }
  // The size of the file as it is stored, and its version.
  ObjectStat stored() const { return {points_ ? points_->file_size : file_.size, file_.version}; }
  // nullptr if the file is not compressed.
  const std::shared_ptr<const SeekPoints>& seek_points() const { return points_; }
  std::uint64_t records() const { return records_; }
  // The CRC-32C of the lengths and checksums of all records. It is the same for all copies of a file, under any name
  // and compressed or not.
  std::uint32_t contents() const { return contents_; }
  // `record` counts from 0 and is less than records().
  Extent at(std::uint64_t record) const;

  friend Bytes encode(const Index& index);
  friend std::variant<Index, std::string> index_from(std::span<const std::byte> bytes);
  bool operator==(const Index& other) const;

 private:
  Index() = default;
  static std::variant<Index, std::string> plain_from(std::span<const std::byte> bytes);
  std::uint64_t offset_of(std::uint64_t record) const;
  std::optional<std::string> extents_problem() const;

  ObjectStat file_;
  std::uint64_t records_ = 0;
  std::uint32_t contents_ = 0;
  unsigned width_ = 1;  // bytes of an offset within its block
  Bytes blocks_;        // the offsets, as they are encoded
  std::shared_ptr<const SeekPoints> points_;
};

Bytes encode(const Index& index);
// Decodes the result of encode(). Returns a half sentence that says what is wrong if the bytes are not an index.
std::variant<Index, std::string> index_from(std::span<const std::byte> bytes);

// What build_index() does when the length of a record, or the compressed data, is damaged, so that the next record must
// be searched for.
enum class Damage : std::uint8_t {
  refused,  // returns the fault
  indexed,  // indexes the bytes up to the next good record, or the end, as one record; reading it finds the fault
};

// Returns a fault if `records` is above 16 Mi plus four for each byte of `file`, which is the file as it is stored;
// else nullopt. A few compressed bytes may inflate to so many records that their index would not fit in memory.
std::optional<Corrupt> too_many_records(const ByteSource& file, std::uint64_t records);

// Returns the number of bytes to read at a time when a whole file is read: 4 MiB of a remote file, else 256 KiB. They
// take about as long to arrive as a read costs in itself.
std::size_t scan_piece(const ByteSource& file);

// Builds the index of a file from the lengths of its records. Records whose data does not match its checksum are
// indexed like others; only their readers find that fault. Whatever `damage` is, returns a fault if the file has
// changed, is a pointer of Git LFS, or has too_many_records(). Throws Error if the storage fails.
//
// Reads pieces of `piece` bytes, by default scan_piece(), and from longer records only their lengths and checksums.
// Takes `piece` bytes of memory and eight for each record. A compressed file is inflated once, which also takes the
// memory of its longest record; if it is damaged, it may be inflated again.
std::variant<Index, Corrupt> build_index(const ByteSource& file, std::optional<std::size_t> piece = std::nullopt,
                                         Damage damage = Damage::refused);

}  // namespace carrack::data
