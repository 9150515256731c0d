// An Index says where each record of a TFRecord file begins, so that records can be read in any order, as shuffling
// needs. build_index() makes it by one pass over the file, and encode() makes the bytes of the index file that is
// stored for the next job. docs/formats/index.md. The pipeline also makes Indexes of the rows of CSV and JSON lines
// files. Any record is found in constant time. With short records an index takes two or three bytes a record.
//
// An index belongs to one version of one file. For a compressed file it says where records begin in the inflated bytes,
// and has the SeekPoints at which inflating can begin. Immutable, so safe to use from several threads.
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
  // Where the frame of a record (its header, data and footer, frame.h) lies, in bytes. It may also be a damaged span,
  // which DamagedFile::indexed has made one record.
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool operator==(const Extent&) const = default;
  };

  // Most callers use build_index() or index_from(). `offsets` are where the frames of the records begin: the first is
  // 0, and the others ascend. Each record ends where the next record begins, the last record at file.size. `file` and
  // `contents` are what file() and contents() will return. Nothing is checked.
  Index(ObjectStat file, std::span<const std::uint64_t> offsets, std::uint32_t contents);
  // Returns the index of a compressed file with these seek points. This index, which is moved from, must be the index
  // of the inflated bytes.
  Index with(SeekPoints points) &&;

  // The version of the file, and the number of bytes in which offsets count: its size, or for a compressed file the
  // number of its inflated bytes.
  const ObjectStat& file() const { return file_; }
  // The version and the size of the file as it is stored. Compare this with Storage::stat() to see if the index fits.
  ObjectStat stored() const { return {points_ ? points_->file_size : file_.size, file_.version}; }
  // nullptr if the file is not compressed.
  const std::shared_ptr<const SeekPoints>& seek_points() const { return points_; }
  std::uint64_t records() const { return records_; }
  // A checksum that identifies the content of the file: the CRC-32C of the lengths and checksums of all records. It is
  // the same for all copies of a file, under any name, and compressed or not.
  std::uint32_t contents() const { return contents_; }
  // Returns where a record lies. `record` counts from 0 and must be less than records().
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

// Returns the content of an index file.
Bytes encode(const Index& index);
// Decodes the content of an index file. If it is not a valid index, returns a half sentence that says what is wrong.
// Safe for any bytes.
std::variant<Index, std::string> index_from(std::span<const std::byte> bytes);

// What build_index() does with a file in which the length of a record, or the compressed data, is damaged, so that the
// next record must be searched for. A training uses `refused` with OnDamage::stop and `indexed` with OnDamage::skip. A
// Dataset uses `indexed` with both. `carrack data index` uses `refused`.
enum class DamagedFile : std::uint8_t {
  refused,  // returns the fault, and no index
  indexed,  // indexes the bytes up to the next good record, or to the end of the file, as one record; a reader of that
            // record finds the fault
};

// Protects memory while a compressed file is indexed, as a few compressed bytes may inflate to any number of records.
// Returns a fault if `records`, the number found so far, is more than 16 Mi plus four for each byte of `file`, which is
// the file as it is stored; else nullopt.
std::optional<Corrupt> too_many_records(const ByteSource& file, std::uint64_t records);

// Returns the number of bytes to read at a time when a whole file is read: 4 MiB of a remote file, else 256 KiB.
std::size_t scan_piece(const ByteSource& file);

// Builds the index of a TFRecord file, which may be compressed, from the lengths of its records. It does not verify the
// data of records: a record whose data does not match its checksum is indexed like others, and only its readers find
// that fault. With any `damage` it returns a fault if the file has changed, is a pointer of Git LFS, or has
// too_many_records(). Throws Error if the storage fails.
//
// Reads pieces of `piece` bytes, by default scan_piece(). Skips most of the data of records that are longer than that.
// Needs about `piece` bytes of memory, and eight bytes for each record. A compressed file is inflated once, which also
// needs the memory of its longest record; if it is damaged, it may be inflated again.
std::variant<Index, Corrupt> build_index(const ByteSource& file, std::optional<std::size_t> piece = std::nullopt,
                                         DamagedFile damage = DamagedFile::refused);

}  // namespace carrack::data
