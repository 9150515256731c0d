#include "dataloader/records/seek_points.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"

namespace carrack::data {
namespace {

constexpr char magic[] = {'C', 'R', 'R', 'K', 'I', 'D', 'Z', '1'};
// Encoded seek points begin with the magic, the size of the file, its compression, the number of points, and the number
// of bytes of all points.
constexpr std::size_t head_size = sizeof magic + 4 * sizeof(std::uint64_t);
constexpr std::size_t point_head = 2 * sizeof(std::uint64_t) + 2 * sizeof(std::uint8_t) + sizeof(std::uint32_t);
constexpr std::size_t checksum_size = 4;

constexpr const char* exceeds = "its lengths exceed it";
constexpr const char* disorder = "the places at which its file can be inflated are not in order";

std::uint64_t number_of(Compression compression) {
  return compression == Compression::gzip ? 1 : 2;
}

// Returns what is wrong with `point`, whose previous point is `before`; nullptr if it is valid.
const char* point_problem(const SeekPoint& point, const SeekPoint& before, std::uint64_t file_size) {
  if (point.in <= before.in || point.in >= file_size || point.out <= before.out) return disorder;
  if (point.bits > 7 || point.value >> point.bits != 0 || (point.begins_stream() && point.bits > 0))
    return "a place at which its file can be inflated has bits that cannot be";
  return nullptr;
}

// Removes a point from the front of `bytes` and returns it; nullopt if `bytes` is too short for a point, or its window
// is too long.
std::optional<SeekPoint> take_point(std::span<const std::byte>& bytes) {
  if (bytes.size() < point_head) return std::nullopt;
  const std::byte* head = bytes.data();
  SeekPoint point{.in = number_at<std::uint64_t>(head),
                  .out = number_at<std::uint64_t>(head + 8),
                  .bits = number_at<std::uint8_t>(head + 16),
                  .value = number_at<std::uint8_t>(head + 17)};
  const auto size = number_at<std::uint32_t>(head + 18);
  bytes = bytes.subspan(point_head);
  if (size > window_bytes_max || size > bytes.size()) return std::nullopt;
  point.window.assign(bytes.begin(), bytes.begin() + size);
  bytes = bytes.subspan(size);
  return point;
}

}  // namespace

std::uint64_t largest_distance(const SeekPoints& points, std::uint64_t size) {
  std::uint64_t most = size - points.points.back().out;
  for (std::size_t i = 1; i < points.points.size(); ++i)
    most = std::max(most, points.points[i].out - points.points[i - 1].out);
  return most;
}

std::size_t encoded_size(const SeekPoint& point) {
  return point_head + point.window.size();
}

Bytes encode(const SeekPoints& points) {
  Bytes encoded;
  for (const SeekPoint& point : std::span(points.points).subspan(1)) {
    append_number(encoded, point.in);
    append_number(encoded, point.out);
    append_number(encoded, static_cast<std::uint8_t>(point.bits));
    append_number(encoded, static_cast<std::uint8_t>(point.value));
    append_number(encoded, static_cast<std::uint32_t>(point.window.size()));
    encoded.insert(encoded.end(), point.window.begin(), point.window.end());
  }
  Bytes bytes;
  bytes.reserve(head_size + encoded.size() + checksum_size);
  for (const char letter : magic) bytes.push_back(static_cast<std::byte>(letter));
  append_number(bytes, points.file_size);
  append_number(bytes, number_of(points.compression));
  append_number(bytes, std::uint64_t{points.points.size() - 1});
  append_number(bytes, std::uint64_t{encoded.size()});
  bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  append_number(bytes, masked_crc32c(bytes));
  return bytes;
}

bool begins_with_seek_points(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof magic && std::memcmp(bytes.data(), magic, sizeof magic) == 0;
}

std::variant<SeekPoints, std::string> take_seek_points(std::span<const std::byte>& bytes) {
  if (!begins_with_seek_points(bytes)) return "it is not an index, or one of another version";
  if (bytes.size() < head_size + checksum_size) return exceeds;
  const std::byte* head = bytes.data() + sizeof magic;
  SeekPoints found;
  found.file_size = number_at<std::uint64_t>(head);
  const auto compression = number_at<std::uint64_t>(head + 8);
  const auto count = number_at<std::uint64_t>(head + 16);
  const auto size = number_at<std::uint64_t>(head + 24);
  if (size > bytes.size() - head_size - checksum_size) return exceeds;
  if (masked_crc32c(bytes.first(head_size + size)) != number_at<std::uint32_t>(bytes.data() + head_size + size))
    return "it does not match its checksum";
  if (compression != 1 && compression != 2) return "it is of an unknown compression";
  found.compression = compression == 1 ? Compression::gzip : Compression::zlib;
  std::span<const std::byte> rest = bytes.subspan(head_size, size);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::optional<SeekPoint> point = take_point(rest);
    if (!point) return exceeds;
    if (const char* problem = point_problem(*point, found.points.back(), found.file_size)) return problem;
    found.points.push_back(*std::move(point));
  }
  if (!rest.empty()) return exceeds;
  bytes = bytes.subspan(head_size + size + checksum_size);
  return found;
}

Inflater inflater_at(Compression compression, const SeekPoint& point) {
  if (point.begins_stream()) return Inflater(compression);
  Bytes window(std::size_t{32} << 10);
  const Inflater::Step step = Inflater(Compression::zlib).inflate(point.window, window);
  window.resize(step.made);
  return {compression, {.window = window, .bits = point.bits, .value = point.value}};
}

}  // namespace carrack::data
