// GZIP files in blocks: any of their bytes, what other readers find in them, and what is lost with a damaged one.
#include "dataloader/records/gzip_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dataloader/records/compression.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {
namespace {

// Three whole blocks and a part of one, of bytes that are packed to about half.
class GzipBlocks : public testing::Test {
 protected:
  GzipBlocks() {
    for (std::byte& byte : plain_) byte = static_cast<std::byte>(random_() % 16);
    for (std::size_t at = 0; at < plain_.size(); at += gzip_block) {
      begins_.push_back(packed_.size());
      const Bytes member = gzip_member(std::span(plain_).subspan(at, std::min(gzip_block, plain_.size() - at)));
      packed_.insert(packed_.end(), member.begin(), member.end());
    }
  }

  std::unique_ptr<const ByteSource> source() const {
    return inflated(std::make_unique<const MemorySource>(packed_), Index({packed_.size(), {}}, begins_, 0),
                    plain_.size());
  }
  Bytes read(std::size_t offset, std::size_t size) const {
    Bytes bytes(size);
    const Slice slice{offset, bytes};
    EXPECT_EQ(source()->read({&slice, 1}), ReadResult::complete);
    return bytes;
  }
  Bytes expected(std::size_t offset, std::size_t size) const {
    const auto part = std::span(plain_).subspan(offset, size);
    return {part.begin(), part.end()};
  }

  std::mt19937 random_{1};
  Bytes plain_{3 * gzip_block + 1000, std::byte()};
  Bytes packed_;
  std::vector<std::uint64_t> begins_;
};

TEST_F(GzipBlocks, CanBeReadAnywhere) {
  EXPECT_EQ(source()->stat(), (ObjectStat{plain_.size(), {"1"}}));
  EXPECT_EQ(read(0, plain_.size()), plain_);
  EXPECT_EQ(read(gzip_block, gzip_block), expected(gzip_block, gzip_block));
  EXPECT_EQ(read(plain_.size(), 0), Bytes());
  for (int time = 0; time < 50; ++time) {
    const std::size_t offset = random_() % plain_.size();
    const std::size_t size = random_() % (plain_.size() - offset + 1);
    EXPECT_EQ(read(offset, size), expected(offset, size)) << offset << " " << size;
  }
}

TEST_F(GzipBlocks, AreOneFileForOtherReadersOfGzip) {
  Bytes all(plain_.size());
  Inflater inflater(Compression::gzip);
  const Inflater::Step step = inflater.inflate(packed_, all);
  EXPECT_FALSE(step.damage);
  EXPECT_TRUE(inflater.at_an_end());
  EXPECT_EQ(all, plain_);
}

TEST_F(GzipBlocks, ReadAsZerosOnlyWhereTheyAreDamaged) {
  for (const std::size_t at : {begins_[1], begins_[1] + 9000, begins_[2] - 1}) {
    packed_[at] ^= std::byte{1};
    const Bytes all = read(0, plain_.size());
    packed_[at] ^= std::byte{1};
    const auto damaged = all.begin() + gzip_block;
    EXPECT_EQ(Bytes(damaged, damaged + gzip_block), Bytes(gzip_block));
    EXPECT_TRUE(std::equal(all.begin(), damaged, plain_.begin()));
    EXPECT_TRUE(std::equal(damaged + gzip_block, all.end(), plain_.begin() + 2 * gzip_block));
  }
}

TEST_F(GzipBlocks, OfATruncatedFileAreNotRead) {
  Bytes bytes(10);
  const Slice slice{plain_.size() - 10, bytes};
  auto cut = std::make_unique<MemorySource>(packed_);
  cut->bytes.resize(packed_.size() - 1);
  EXPECT_EQ(inflated(std::move(cut), Index({packed_.size(), {}}, begins_, 0), plain_.size())->read({&slice, 1}),
            ReadResult::past_end);
}

}  // namespace
}  // namespace carrack::data
