// Parsers for what surrounds deflated bytes: the header and the trailer of a GZIP member, RFC 1952, or of a ZLIB
// stream, RFC 1950. Inflater uses them, and lets its library inflate only the deflated bytes between them. Both accept
// their input in pieces. The error messages are zlib's. Make new objects for each member or stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/compression.h"

namespace carrack::data {

// Passes over the header and checks it; its fields, such as the file name, are not returned.
class StreamHeader {
 public:
  // With `none`, for raw deflate, the header has no bytes and is complete.
  explicit StreamHeader(Compression compression)
      : compression_(compression), field_(compression == Compression::none ? Field::end : Field::fixed) {}

  // Removes bytes from the front of `from`, up to the end of the header. Returns what is wrong with the header; nullopt
  // if no error is found, also if the header is not complete yet.
  std::optional<std::string> take(std::span<const std::byte>& from);
  bool is_complete() const { return field_ == Field::end; }

 private:
  // In the order of the header. GZIP has no dictionary; ZLIB has only the first two.
  enum class Field : std::uint8_t { fixed, dictionary, extra_length, extra, name, comment, checksum, end };

  std::optional<std::string> take(std::byte byte);
  std::optional<std::string> take_fixed_of_gzip();
  std::optional<std::string> take_fixed_of_zlib();
  void go_to_field_after(Field field);

  Compression compression_;
  Field field_;
  std::array<std::uint8_t, 10> fixed_ = {};
  std::size_t taken_ = 0;    // number of bytes of field_ that were read
  std::size_t number_ = 0;   // the value of the length or checksum so far; in `extra`, the number of bytes left
  std::uint32_t crc32_ = 0;  // of the fields before the checksum
};

// Compares the checksum, and for GZIP the length, at the end of a member or stream with the inflated bytes.
class StreamTrailer {
 public:
  explicit StreamTrailer(Compression compression)
      : compression_(compression), checksum_(compression == Compression::zlib ? 1 : 0) {}

  // Adds the next inflated bytes to the checksum and the length with which the trailer is compared.
  void add(std::span<const std::byte> inflated);
  // Makes take() accept any checksum and length, for a caller that does not know all inflated bytes of the stream.
  void verify_nothing() { verifies_ = false; }
  // Removes bytes from the front of `from`, up to the end of the trailer. Call it after all inflated bytes were added.
  // Returns what is wrong; nullopt if no error is found, also if the trailer is not complete yet.
  std::optional<std::string> take(std::span<const std::byte>& from);
  bool is_complete() const;

 private:
  std::optional<std::string> problem() const;

  Compression compression_;
  bool verifies_ = true;
  std::uint32_t checksum_;    // of the inflated bytes
  std::uint32_t length_ = 0;  // the lower 32 bits of their number
  std::size_t taken_ = 0;
  std::uint32_t number_ = 0;  // the number in the last four bytes that were read
};

}  // namespace carrack::data
