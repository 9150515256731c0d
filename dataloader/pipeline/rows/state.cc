#include "dataloader/pipeline/rows/state.h"

#include <cstddef>
#include <span>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/records/little_endian.h"

namespace carrack::data {
namespace {

constexpr char version = 1;
constexpr std::size_t seal_size = 1 + sizeof(std::uint64_t) + sizeof(std::uint32_t);

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
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return number;
  }
  throw Error("the state of the pipeline is damaged");
}

std::string_view StateReader::text() {
  const std::uint64_t size = number();
  if (size > left_.size()) throw Error("the state of the pipeline is damaged");
  const std::string_view text = left_.substr(0, size);
  left_.remove_prefix(size);
  return text;
}

std::string sealed(std::uint64_t plan, std::string_view state) {
  std::string bytes(1, version);
  append(bytes, plan);
  bytes += state;
  append(bytes, checksum_of(bytes));
  return bytes;
}

std::string_view unsealed(std::uint64_t plan, std::string_view bytes) {
  if (bytes.size() < seal_size || bytes[0] != version) throw Error("this is no state of a pipeline");
  const std::string_view covered = bytes.substr(0, bytes.size() - sizeof(std::uint32_t));
  if (number_in<std::uint32_t>(bytes, covered.size()) != checksum_of(covered))
    throw Error("the state of the pipeline is damaged");
  if (number_in<std::uint64_t>(bytes, 1) != plan)
    throw Error("the state is that of another pipeline, or of other data; begin anew, or put the pipeline back");
  return covered.substr(1 + sizeof(std::uint64_t));
}

}  // namespace carrack::data
