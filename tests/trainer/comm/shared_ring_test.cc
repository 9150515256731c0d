#include "trainer/comm/transport/shared_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <vector>

namespace carrack::train {
namespace {

class SharedRing : public testing::Test {
 protected:
  std::size_t write(std::span<const std::byte> bytes) {
    const auto written = writer.write(bytes);
    writer.publish();
    return written.value();
  }

  std::array<std::byte, 64> ring{};
  SharedSide writing{}, reading{};
  RingWriter writer{ring, writing, reading};
  RingReader reader{ring, reading, writing};
};

std::vector<std::byte> numbered(std::size_t size, std::size_t first = 0) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(first + i));
  return bytes;
}

TEST_F(SharedRing, TakesAsMuchAsThereIsSpaceFor) {
  EXPECT_EQ(write(numbered(60)), 60u);
  EXPECT_EQ(write(numbered(10)), 4u);
  EXPECT_EQ(write(numbered(10)), 0u);
  reader.available();
  reader.take(64);
  EXPECT_EQ(write(numbered(10)), 0u) << "what was taken is in use";
  reader.release(reader.end_run());
  EXPECT_EQ(write(numbered(10)), 10u);
}

TEST_F(SharedRing, ShowsNothingBeforeItIsPublished) {
  EXPECT_EQ(writer.write(numbered(10)), 10u);
  EXPECT_EQ(reader.available(), 0u);
  writer.publish();
  EXPECT_EQ(reader.available(), 10u);
}

TEST_F(SharedRing, WakesAWriterThatWaitsOnceItsBytesAreFree) {
  write(numbered(20));
  reader.available();
  reader.take(10);
  const std::uint64_t first = reader.end_run();
  reader.take(10);
  const std::uint64_t second = reader.end_run();
  EXPECT_FALSE(reader.release(second)) << "nothing is free before the first";
  writer.set_waits(true);
  EXPECT_TRUE(reader.release(first));
  EXPECT_EQ(reading.released.load(), 20u);
}

// Any sizes, and runs released in any order; each byte arrives as it was written, as long as it is in use.
TEST_F(SharedRing, CarriesEachByteInOrder) {
  struct Run {
    std::uint64_t number;
    std::size_t first;
    std::vector<Piece::Block> blocks;
  };
  std::mt19937 random(1);
  std::vector<Run> in_use;
  std::size_t written = 0, taken = 0;
  while (taken < 20'000) {
    written += write(numbered(random() % 40, written));
    const std::size_t size = std::min<std::size_t>(random() % 30, reader.available().value());
    std::vector<Piece::Block> blocks = reader.take(size);
    in_use.push_back({reader.end_run(), taken, std::move(blocks)});
    taken += size;
    while (!in_use.empty() && random() % 3 > 0) {
      const std::size_t any = random() % in_use.size();
      std::size_t value = in_use[any].first;
      for (const Piece::Block& block : in_use[any].blocks) {
        for (const std::byte byte : block) ASSERT_EQ(byte, static_cast<std::byte>(value++));
      }
      reader.release(in_use[any].number);
      in_use.erase(in_use.begin() + static_cast<std::ptrdiff_t>(any));
    }
  }
}

TEST_F(SharedRing, BelievesNoNumberThatCannotBe) {
  write(numbered(20));
  EXPECT_EQ(reader.available(), 20u);
  for (const std::uint64_t lie : {std::uint64_t{19}, std::uint64_t{0}, std::uint64_t{65}, ~std::uint64_t{0}}) {
    writing.written.store(lie);
    EXPECT_FALSE(reader.available()) << lie;
  }
  writing.written.store(64);
  EXPECT_EQ(reader.available(), 64u) << "this may be, and nothing has changed before";
  reading.released.store(10);
  EXPECT_EQ(writer.write(numbered(1)), 1u);
  for (const std::uint64_t lie : {std::uint64_t{9}, std::uint64_t{22}, ~std::uint64_t{0}}) {
    reading.released.store(lie);
    EXPECT_FALSE(writer.write(numbered(1))) << lie;
  }
}

}  // namespace
}  // namespace carrack::train
