#include "dataloader/records/stream_frame.h"

#include <isa-l/igzip_lib.h>

namespace carrack::data {
namespace {

constexpr std::size_t number_size = 4;  // the bytes of a checksum or length in a trailer
constexpr unsigned deflate_method = 8;

// The flags in a GZIP header, RFC 1952, 2.3.1.
enum GzipFlag : unsigned { has_checksum = 2, has_extra = 4, has_name = 8, has_comment = 16, reserved = 0xe0 };

}  // namespace

std::optional<std::string> StreamHeader::take(std::span<const std::byte>& from) {
  while (!from.empty() && !is_complete()) {
    const std::byte byte = from.front();
    from = from.subspan(1);
    if (std::optional<std::string> damage = take(byte)) return damage;
  }
  return std::nullopt;
}

std::optional<std::string> StreamHeader::take(std::byte byte) {
  if (field_ != Field::checksum) crc32_ = crc32({&byte, 1}, crc32_);
  const auto value = std::to_integer<std::uint8_t>(byte);
  if (field_ == Field::fixed) fixed_[taken_] = value;
  const bool is_number = field_ == Field::extra_length || field_ == Field::checksum;
  if (is_number) number_ |= std::size_t{value} << 8 * taken_;
  ++taken_;
  switch (field_) {
    case Field::fixed:
      return compression_ == Compression::gzip ? take_fixed_of_gzip() : take_fixed_of_zlib();
    case Field::dictionary:
      if (taken_ == 4) return "needs a dictionary";
      break;
    case Field::extra_length:
      if (taken_ < 2) break;
      if (number_ == 0) {
        go_to_field_after(Field::extra);
      } else {
        field_ = Field::extra;
        taken_ = 0;
      }
      break;
    case Field::extra:
      if (--number_ == 0) go_to_field_after(field_);
      break;
    case Field::name:
    case Field::comment:
      if (value == 0) go_to_field_after(field_);
      break;
    case Field::checksum:
      if (taken_ < 2) break;
      if (number_ != (crc32_ & 0xffff)) return "header crc mismatch";
      go_to_field_after(field_);
      break;
    case Field::end:
      break;
  }
  return std::nullopt;
}

std::optional<std::string> StreamHeader::take_fixed_of_gzip() {
  if (taken_ == 2 && (fixed_[0] != 0x1f || fixed_[1] != 0x8b)) return "incorrect header check";
  if (taken_ == 4 && fixed_[2] != deflate_method) return "unknown compression method";
  if (taken_ == 4 && (fixed_[3] & reserved) != 0) return "unknown header flags set";
  if (taken_ == fixed_.size()) go_to_field_after(field_);
  return std::nullopt;
}

std::optional<std::string> StreamHeader::take_fixed_of_zlib() {
  if (taken_ < 2) return std::nullopt;
  constexpr unsigned window_bits_max = 7;  // the largest window: 7 means 2^(7 + 8) bytes
  constexpr unsigned has_dictionary = 0x20;
  if ((fixed_[0] << 8 | fixed_[1]) % 31 != 0) return "incorrect header check";
  if ((fixed_[0] & 0xf) != deflate_method) return "unknown compression method";
  if (fixed_[0] >> 4 > window_bits_max) return "invalid window size";
  field_ = (fixed_[1] & has_dictionary) != 0 ? Field::dictionary : Field::end;
  taken_ = 0;
  return std::nullopt;
}

// Moves to the next field after `field` that the flags of the GZIP header announce, or to the end of the header.
void StreamHeader::go_to_field_after(Field field) {
  const auto follows = [&](Field next, unsigned flag) { return field < next && (fixed_[3] & flag) != 0; };
  taken_ = number_ = 0;
  field_ = follows(Field::extra_length, has_extra)  ? Field::extra_length
           : follows(Field::name, has_name)         ? Field::name
           : follows(Field::comment, has_comment)   ? Field::comment
           : follows(Field::checksum, has_checksum) ? Field::checksum
                                                    : Field::end;
}

void StreamTrailer::add(std::span<const std::byte> inflated) {
  if (!verifies_ || inflated.empty()) return;
  const auto* bytes = reinterpret_cast<const unsigned char*>(inflated.data());
  length_ += static_cast<std::uint32_t>(inflated.size());
  if (compression_ == Compression::gzip) checksum_ = crc32(inflated, checksum_);
  if (compression_ == Compression::zlib) checksum_ = ::isal_adler32(checksum_, bytes, inflated.size());
}

std::optional<std::string> StreamTrailer::take(std::span<const std::byte>& from) {
  while (!from.empty() && !is_complete()) {
    const auto value = std::to_integer<std::uint32_t>(from.front());
    from = from.subspan(1);
    ++taken_;
    // The numbers in a trailer are big-endian for ZLIB, and little-endian for GZIP.
    number_ = compression_ == Compression::zlib ? number_ << 8 | value : number_ >> 8 | value << 24;
    if (std::optional<std::string> damage = problem()) return damage;
  }
  return std::nullopt;
}

std::optional<std::string> StreamTrailer::problem() const {
  if (verifies_ && taken_ == number_size && number_ != checksum_) return "incorrect data check";
  if (verifies_ && taken_ == 2 * number_size && number_ != length_) return "incorrect length check";
  return std::nullopt;
}

bool StreamTrailer::is_complete() const {
  switch (compression_) {
    case Compression::none:
      return true;
    case Compression::gzip:
      return taken_ == 2 * number_size;
    case Compression::zlib:
      return taken_ == number_size;
  }
  return true;
}

}  // namespace carrack::data
