// Where each record of a TFRecord file begins, docs/formats/index.md: any record is found at once, in two or
// three bytes a record. An index belongs to one version of one file. Any bytes decode to a good index or to nothing
// usable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

class Index {
 public:
  // A record's whole frame, or damage.
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool operator==(const Extent&) const = default;
  };

  // From the beginnings of all records: they lie behind each other up to the file's end.
  Index(ObjectStat file, std::span<const std::uint64_t> offsets, std::uint32_t contents);

  const ObjectStat& file() const { return file_; }
  std::uint64_t records() const { return records_; }
  // Tells files apart whatever they are called: the CRC-32C of the lengths and checksums of all records.
  std::uint32_t contents() const { return contents_; }
  // `record` counts from 0 and is less than records().
  Extent at(std::uint64_t record) const;

  friend Bytes encode(const Index& index);
  friend std::variant<Index, std::string> index_from(std::span<const std::byte> bytes);
  bool operator==(const Index&) const = default;

 private:
  Index() = default;
  std::uint64_t offset_of(std::uint64_t record) const;
  bool fills_the_file() const;

  ObjectStat file_;
  std::uint64_t records_ = 0;
  std::uint32_t contents_ = 0;
  unsigned width_ = 1;  // bytes of an offset within its block
  Bytes blocks_;        // as in the file
};

Bytes encode(const Index& index);
// Or what is wrong with the bytes.
std::variant<Index, std::string> index_from(std::span<const std::byte> bytes);

// What becomes of a file where the next record has to be sought.
enum class Damage : std::uint8_t {
  refused,
  indexed,  // as a record, up to the next one or the end of the file: who reads it finds it damaged
};

// Reads the file in pieces of this size, and of what lies further apart than such a piece is long no more than the
// records' lengths and checksums: a piece is as long as it may be in the time that another read costs. The records'
// data stays unchecked until it is read. Takes a piece of memory, and eight bytes for each record.
std::variant<Index, Corrupt> build_index(const ByteSource& file, std::size_t piece = std::size_t{256} << 10,
                                         Damage damage = Damage::refused);

}  // namespace carrack::data
