// What stands around deflated bytes: the header and the trailer of a GZIP member, RFC 1952, or of a ZLIB stream,
// RFC 1950. The error messages are those of zlib.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/compression.h"

namespace carrack::data {

class StreamHeader {
 public:
  // With `none` it has no bytes.
  explicit StreamHeader(Compression compression)
      : compression_(compression), field_(compression == Compression::none ? Field::end : Field::fixed) {}

  // Takes bytes off the front of `from`, up to the header's end. Returns what is wrong with them.
  std::optional<std::string> take(std::span<const std::byte>& from);
  bool is_complete() const { return field_ == Field::end; }

 private:
  // In their order; ZLIB has only the first two.
  enum class Field : std::uint8_t { fixed, dictionary, extra_length, extra, name, comment, checksum, end };

  std::optional<std::string> take(std::byte byte);
  std::optional<std::string> take_fixed_of_gzip();
  std::optional<std::string> take_fixed_of_zlib();
  void go_behind(Field field);

  Compression compression_;
  Field field_;
  std::array<std::uint8_t, 10> fixed_ = {};
  std::size_t taken_ = 0;    // bytes of the field
  std::size_t number_ = 0;   // in the length or checksum; of the extra bytes, how many are left
  std::uint32_t crc32_ = 0;  // of the fields before the checksum
};

class StreamTrailer {
 public:
  explicit StreamTrailer(Compression compression)
      : compression_(compression), checksum_(compression == Compression::zlib ? 1 : 0) {}

  // The inflated bytes that the trailer is about, in their order.
  void add(std::span<const std::byte> inflated);
  // The inflated bytes are not known, so any checksum and length are taken.
  void verify_nothing() { verifies_ = false; }
  // Takes bytes off the front of `from`, up to the trailer's end. Returns what is wrong with them.
  std::optional<std::string> take(std::span<const std::byte>& from);
  bool is_complete() const;

 private:
  std::optional<std::string> problem() const;

  Compression compression_;
  bool verifies_ = true;
  std::uint32_t checksum_;    // of the inflated bytes
  std::uint32_t length_ = 0;  // the lower bits of their number
  std::size_t taken_ = 0;
  std::uint32_t number_ = 0;  // in the last four bytes taken
};

}  // namespace carrack::data
