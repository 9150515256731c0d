#include "dataloader/records/index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"

namespace carrack::data {
namespace {

// A block: where it begins in the file, then where each of its records begins, counted from there. The last block may
// hold fewer records.
constexpr std::uint64_t block_records = 64;
constexpr std::size_t block_head = 8;

constexpr char magic[] = {'C', 'R', 'R', 'K', 'I', 'D', 'X', '1'};
// The file's size, records, width, the length of the version, the contents.
constexpr std::size_t head_size = sizeof magic + 4 * sizeof(std::uint64_t) + sizeof(std::uint32_t);
constexpr std::size_t checksum_size = 4;

std::size_t block_size(unsigned width) {
  return block_head + block_records * width;
}

unsigned bytes_for(std::uint64_t number) {
  unsigned bytes = 1;
  while (bytes < 8 && number >> (8 * bytes) != 0) ++bytes;
  return bytes;
}

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

bool Index::fills_the_file() const {
  std::uint64_t end = 0;
  for (std::uint64_t record = 0; record < records_; ++record) {
    const std::uint64_t offset = offset_of(record);
    if (record == 0 ? offset != 0 : offset < end) return false;
    if (offset >= file_.size) return false;
    end = offset + 1;  // At least: damage may be short.
  }
  return records_ > 0 || file_.size == 0;
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
  return bytes;
}

std::variant<Index, std::string> index_from(std::span<const std::byte> bytes) {
  if (bytes.size() < head_size + checksum_size || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    return "it is no index, or one of another version";
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
  // A length above that of the rest is refused before anything is computed from it, which might overflow.
  if (width < 1 || width > 8 || version_size > rest.size() || index.records_ > rest.size())
    return "its lengths exceed it";
  index.file_.version.text.assign(reinterpret_cast<const char*>(rest.data()), version_size);
  rest = rest.subspan(version_size);
  index.width_ = static_cast<unsigned>(width);
  if (blocks_size(index.records_, index.width_) != rest.size()) return "its lengths exceed it";
  index.blocks_.assign(rest.begin(), rest.end());
  if (!index.fills_the_file()) return "its records do not fill its file";
  return index;
}

}  // namespace carrack::data
