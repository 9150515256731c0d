#include "dataloader/pipeline/rows/state.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

constexpr char legacy_version = 1, current_version = 2;
// The number of bytes that seal_state() adds to a state: version, fingerprint and checksum.
constexpr std::size_t seal_bytes = 1 + sizeof(std::uint64_t) + sizeof(std::uint32_t);

std::uint32_t checksum_of(std::string_view bytes) {
  return crc32c(std::as_bytes(std::span(bytes)), 0);
}

template <typename Number>
void append(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) bytes.push_back(static_cast<char>(number >> 8 * i & 0xff));
}

void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>(number | 0x80));
  bytes.push_back(static_cast<char>(number));
}

void append_text(std::string& bytes, std::string_view text) {
  append_varint(bytes, text.size());
  bytes += text;
}

template <typename Number>
Number number_in(std::string_view bytes, std::size_t at) {
  return number_at<Number>(std::as_bytes(std::span(bytes)).subspan(at).data());
}

}  // namespace

void StateWriter::number(std::uint64_t number) {
  append_varint(parts_.back().bytes, number);
}

void StateWriter::text(std::string_view text) {
  append_text(parts_.back().bytes, text);
}

void StateWriter::text_later(std::function<std::string()> text) {
  parts_.back().later = std::move(text);
  parts_.emplace_back();
}

void StateWriter::append(const StateWriter& other) {
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
}

std::string StateWriter::bytes() const {
  std::string all;
  for (const Part& part : parts_) {
    all += part.bytes;
    if (part.later) append_text(all, part.later());
  }
  return all;
}

std::uint64_t StateReader::number() {
  wire::View left = std::as_bytes(std::span(left_));
  const std::optional<std::uint64_t> number = wire::take_varint(left);
  if (!number) throw Error("the state of the pipeline is damaged");
  left_ = left_.substr(left_.size() - left.size());
  return *number;
}

std::string_view StateReader::text() {
  const std::uint64_t size = number();
  if (size > left_.size()) throw Error("the state of the pipeline is damaged");
  const std::string_view text = left_.substr(0, size);
  left_.remove_prefix(size);
  return text;
}

std::string seal_state(std::uint64_t fingerprint, std::string_view state) {
  std::string bytes(1, current_version);
  append(bytes, fingerprint);
  bytes += state;
  append(bytes, checksum_of(bytes));
  return bytes;
}

SealedState unseal_state(std::string_view bytes) {
  if (bytes.size() < seal_bytes || (bytes[0] != legacy_version && bytes[0] != current_version))
    throw Error("this is not a state of a pipeline");
  const std::string_view covered = bytes.substr(0, bytes.size() - sizeof(std::uint32_t));
  if (number_in<std::uint32_t>(bytes, covered.size()) != checksum_of(covered))
    throw Error("the state of the pipeline is damaged");
  return {.is_legacy = bytes[0] == legacy_version,
          .fingerprint = number_in<std::uint64_t>(bytes, 1),
          .state = covered.substr(1 + sizeof(std::uint64_t))};
}

}  // namespace carrack::data
