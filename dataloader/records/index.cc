#include "dataloader/records/index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/little_endian.h"

namespace carrack::data {
namespace {

// The offsets of the records are encoded in blocks of 64 records. A block has the offset of its first record in the
// file, and then the distance of each of its records from that offset: a distance takes fewer bytes than an offset. The
// last block may have fewer records.
constexpr std::uint64_t block_records = 64;
constexpr std::size_t block_head = 8;

constexpr char magic[] = {'C', 'R', 'R', 'K', 'I', 'D', 'X', '1'};
// An encoded index begins with the magic and four numbers of 64 bits: the size of the file, the number of records, the
// width of a distance in bytes, and the length of the version. A checksum of the content, Index::contents(), follows.
constexpr std::size_t head_size = sizeof magic + 4 * sizeof(std::uint64_t) + sizeof(std::uint32_t);
constexpr std::size_t checksum_size = 4;

// `width` is the number of bytes of one distance.
std::size_t block_size(unsigned width) {
  return block_head + block_records * width;
}

// Returns how many bytes `number` needs, at least one.
unsigned bytes_for(std::uint64_t number) {
  unsigned bytes = 1;
  while (bytes < 8 && number >> (8 * bytes) != 0) ++bytes;
  return bytes;
}

// Returns the size in bytes of all blocks of an index of `records` records.
std::uint64_t blocks_size(std::uint64_t records, unsigned width) {
  const std::uint64_t rest = records % block_records;
  return records / block_records * block_size(width) + (rest == 0 ? 0 : block_head + rest * width);
}

}  // namespace

Index::Index(ObjectStat file, std::span<const std::uint64_t> offsets, std::uint32_t contents)
    : file_(std::move(file)), records_(offsets.size()), contents_(contents) {
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    longest = std::max(longest, offsets[i] - offsets[i / block_records * block_records]);
  width_ = bytes_for(longest);
  blocks_.reserve(blocks_size(records_, width_));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::uint64_t base = offsets[i / block_records * block_records];
    if (i % block_records == 0) append_number(blocks_, base);
    const std::uint64_t relative = offsets[i] - base;
    const auto bytes = std::as_bytes(std::span(&relative, 1)).first(width_);
    blocks_.insert(blocks_.end(), bytes.begin(), bytes.end());
  }
}

Index Index::with(SeekPoints points) && {
  points_ = std::make_shared<const SeekPoints>(std::move(points));
  return std::move(*this);
}

bool Index::operator==(const Index& other) const {
  const bool same_points = points_ && other.points_ ? *points_ == *other.points_ : points_ == other.points_;
  return same_points && file_ == other.file_ && records_ == other.records_ && contents_ == other.contents_ &&
         width_ == other.width_ && blocks_ == other.blocks_;
}

std::uint64_t Index::offset_of(std::uint64_t record) const {
  const std::byte* block = blocks_.data() + record / block_records * block_size(width_);
  std::uint64_t relative = 0;
  std::memcpy(&relative, block + block_head + record % block_records * width_, width_);
  return number_at<std::uint64_t>(block) + relative;
}

Index::Extent Index::at(std::uint64_t record) const {
  const std::uint64_t offset = offset_of(record);
  const std::uint64_t end = record + 1 < records_ ? offset_of(record + 1) : file_.size;
  return {offset, end - offset};
}

// Returns nullopt if the records fill the file and none is longer than readers accept; else what is wrong.
std::optional<std::string> Index::extents_problem() const {
  const std::string does_not_fill = "its records do not fill its file";
  if (records_ == 0) return file_.size == 0 ? std::nullopt : std::optional(does_not_fill);
  if (offset_of(0) != 0) return does_not_fill;
  for (std::uint64_t record = 0; record < records_; ++record) {
    const std::uint64_t offset = offset_of(record);
    const std::uint64_t end = record + 1 < records_ ? offset_of(record + 1) : file_.size;
    if (end <= offset || end > file_.size) return does_not_fill;
    if (end - offset > frame::size_of(frame::record_bytes_max)) return "a record in it is longer than 2 GiB";
  }
  return std::nullopt;
}

Bytes encode(const Index& index) {
  const std::string& version = index.file_.version.text;
  Bytes bytes;
  bytes.reserve(head_size + version.size() + index.blocks_.size() + checksum_size);
  for (const char letter : magic) bytes.push_back(static_cast<std::byte>(letter));
  append_number(bytes, index.file_.size);
  append_number(bytes, index.records_);
  append_number(bytes, std::uint64_t{index.width_});
  append_number(bytes, std::uint64_t{version.size()});
  append_number(bytes, index.contents_);
  for (const char letter : version) bytes.push_back(static_cast<std::byte>(letter));
  bytes.insert(bytes.end(), index.blocks_.begin(), index.blocks_.end());
  append_number(bytes, masked_crc32c(bytes));
  if (!index.points_) return bytes;
  Bytes all = encode(*index.points_);
  all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

std::variant<Index, std::string> index_from(std::span<const std::byte> bytes) {
  if (!begins_with_seek_points(bytes)) return Index::plain_from(bytes);
  auto points = take_seek_points(bytes);
  if (std::string* problem = std::get_if<std::string>(&points)) return std::move(*problem);
  auto index = Index::plain_from(bytes);
  if (std::holds_alternative<std::string>(index)) return index;
  if (std::get<SeekPoints>(points).points.back().out > std::get<Index>(index).file().size)
    return "the places at which its file can be inflated lie beyond its end";
  return std::get<Index>(std::move(index)).with(std::get<SeekPoints>(std::move(points)));
}

std::variant<Index, std::string> Index::plain_from(std::span<const std::byte> bytes) {
  if (bytes.size() < head_size + checksum_size || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    return "it is not an index, or one of another version";
  const auto covered = bytes.first(bytes.size() - checksum_size);
  if (masked_crc32c(covered) != number_at<std::uint32_t>(covered.data() + covered.size()))
    return "it does not match its checksum";
  const std::byte* head = bytes.data() + sizeof magic;
  Index index;
  index.file_.size = number_at<std::uint64_t>(head);
  index.records_ = number_at<std::uint64_t>(head + 8);
  const auto width = number_at<std::uint64_t>(head + 16);
  const auto version_size = number_at<std::uint64_t>(head + 24);
  index.contents_ = number_at<std::uint32_t>(head + 32);
  auto rest = covered.subspan(head_size);
  // This checks the numbers before it computes sizes from them, so that the sizes cannot overflow.
  if (width < 1 || width > 8 || version_size > rest.size() || index.records_ > rest.size())
    return "its lengths exceed it";
  index.file_.version.text.assign(reinterpret_cast<const char*>(rest.data()), version_size);
  rest = rest.subspan(version_size);
  index.width_ = static_cast<unsigned>(width);
  if (blocks_size(index.records_, index.width_) != rest.size()) return "its lengths exceed it";
  index.blocks_.assign(rest.begin(), rest.end());
  if (std::optional<std::string> problem = index.extents_problem()) return *std::move(problem);
  return index;
}

}  // namespace carrack::data
