#include "dataloader/records/gzip_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "dataloader/records/compression.h"
#include "dataloader/records/inflater.h"

namespace carrack::data {
namespace {

class InflatedSource final : public ByteSource {
 public:
  InflatedSource(std::unique_ptr<const ByteSource> file, Index members, std::uint64_t size)
      : ByteSource(file->name(), {size, file->stat().version}), file_(std::move(file)), members_(std::move(members)) {}

  // Reads the members of all slices in one call.
  ReadResult read(std::span<const Slice> slices) const override {
    std::vector<Bytes> packed;
    std::vector<Slice> packed_slices;
    packed.reserve(slices.size());
    for (const Slice& slice : slices) {
      if (slice.into.empty()) continue;
      const auto [first, last] = members_in(slice);
      const std::uint64_t begin = members_.at(first).offset;
      packed_slices.push_back({begin, packed.emplace_back(members_.at(last).offset + members_.at(last).size - begin)});
    }
    if (const ReadResult result = file_->read(packed_slices); result != ReadResult::complete) return result;
    for (auto from = packed_slices.begin(); const Slice& slice : slices)
      if (!slice.into.empty()) fill(slice, *from++);
    return ReadResult::complete;
  }

 private:
  std::pair<std::uint64_t, std::uint64_t> members_in(const Slice& slice) const {
    return {slice.offset / gzip_block, (slice.offset + slice.into.size() - 1) / gzip_block};
  }

  void fill(const Slice& slice, const Slice& packed) const {
    const auto [first, last] = members_in(slice);
    Bytes block;
    for (std::uint64_t member = first; member <= last; ++member) {
      const auto [offset, size] = members_.at(member);
      inflate(packed.into.subspan(offset - packed.offset, size), member, block);
      const std::uint64_t at = member * gzip_block;
      const std::uint64_t from = std::max(slice.offset, at);
      const std::uint64_t to = std::min(slice.offset + slice.into.size(), at + block.size());
      std::memcpy(slice.into.data() + (from - slice.offset), block.data() + (from - at), to - from);
    }
  }

  void inflate(std::span<const std::byte> packed, std::uint64_t member, Bytes& block) const {
    block.assign(std::min<std::uint64_t>(gzip_block, stat().size - member * gzip_block), std::byte{0});
    Inflater inflater(Compression::gzip);
    const Inflater::Step step = inflater.inflate(packed, block);
    if (step.damage || step.made < block.size() || !inflater.at_an_end()) std::ranges::fill(block, std::byte{0});
  }

  const std::unique_ptr<const ByteSource> file_;
  const Index members_;
};

}  // namespace

Bytes gzip_member(std::span<const std::byte> bytes) {
  Bytes member;
  Deflater deflater(Compression::gzip);
  deflater.deflate(bytes, member);
  deflater.finish(member);
  return member;
}

std::unique_ptr<const ByteSource> inflated(std::unique_ptr<const ByteSource> file, Index members, std::uint64_t size) {
  return std::make_unique<const InflatedSource>(std::move(file), std::move(members), size);
}

}  // namespace carrack::data
