#include "trainer/comm/protocol/piece.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace carrack::train {
namespace {

Floats counted(std::size_t begin, std::size_t end) {
  Floats values(end - begin);
  std::iota(values.begin(), values.end(), static_cast<float>(begin));
  return values;
}

// The values [begin, end) of counted(0, total), in blocks of these sizes in bytes, none of which is aligned; the last
// has the rest.
Piece piece_of(std::size_t begin, std::size_t end, std::size_t total, const std::vector<std::size_t>& sizes = {}) {
  const Floats values = counted(begin, end);
  std::span<const std::byte> left = std::as_bytes(std::span(values));
  const auto memory = std::make_shared<std::vector<std::vector<std::byte>>>();
  const auto add = [&](std::size_t size) {
    std::vector<std::byte>& block = memory->emplace_back(size + 1);
    std::ranges::copy(left.first(size), block.begin() + 1);
    left = left.subspan(size);
  };
  for (const std::size_t size : sizes) add(std::min(size, left.size()));
  add(left.size());
  std::vector<Piece::Block> blocks;
  for (const auto& block : *memory) blocks.push_back(std::span(block).subspan(1));
  return {begin, total, std::move(blocks), memory};
}

// Blocks of 0 to 11 bytes end anywhere within values; some values are in four blocks.
TEST(Piece, IsReadFromBlocksThatCutValuesAnywhere) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t begin = random() % 3, size = random() % 8;
    std::vector<std::size_t> sizes(random() % 20);
    for (std::size_t& one : sizes) one = random() % (round % 2 == 0 ? 3 : 12);
    const Piece piece = piece_of(begin, begin + size, 20, sizes);
    ASSERT_EQ(piece.end(), begin + size);
    for (std::size_t from = begin; from <= piece.end(); ++from) {
      for (std::size_t to = from; to <= piece.end(); ++to) {
        Floats values(to - from, 1000.0f);
        piece.copy(from, values);
        ASSERT_EQ(values, counted(from, to));
        piece.add(from, values);
        for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 2 * static_cast<float>(from + i));
      }
    }
  }
}

TEST(Piece, OfATailOfThisProcessIsThatTail) {
  const auto shared = std::make_shared<const Floats>(counted(0, 3));
  Piece piece(Tail(shared, *shared));
  EXPECT_TRUE(piece.is_whole() && piece.is_last());
  Floats sum(2, 1.0f);
  piece.add(1, sum);
  EXPECT_EQ(sum, (Floats{2, 3}));
  const Piece copy = piece;
  EXPECT_EQ(std::move(piece).take_whole().share(), shared);
  copy.copy(1, sum);
  EXPECT_EQ(sum, (Floats{1, 2}));
  Floats own = counted(0, 3);
  const float* values = own.data();
  EXPECT_EQ(Piece(Tail(std::move(own))).take_whole().take().data(), values);
}

TEST(Piece, OfAnEmptyTailIsItsLast) {
  EXPECT_TRUE(Piece().is_whole() && Piece().is_last());
  EXPECT_TRUE(Piece().take_whole().values().empty());
}

TEST(TailAssembly, PutsATailTogether) {
  TailAssembly assembly;
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(assembly.add(piece_of(0, 2, 5)));
    EXPECT_FALSE(assembly.add(piece_of(2, 3, 5, {3})));
    auto tail = assembly.add(piece_of(3, 5, 5));
    ASSERT_TRUE(tail);
    EXPECT_EQ(std::move(*tail).take(), counted(0, 5));
  }
}

TEST(TailAssembly, BeginsAnewWithAnotherTail) {
  TailAssembly assembly;
  EXPECT_FALSE(assembly.add(piece_of(0, 2, 5)));
  EXPECT_FALSE(assembly.add(piece_of(0, 2, 3)));
  auto tail = assembly.add(piece_of(2, 3, 3));
  ASSERT_TRUE(tail);
  EXPECT_EQ(std::move(*tail).take(), counted(0, 3));
  EXPECT_FALSE(assembly.add(piece_of(0, 2, 5)));
  tail = assembly.add(piece_of(0, 4, 4));
  ASSERT_TRUE(tail);
  EXPECT_EQ(std::move(*tail).take(), counted(0, 4));
  EXPECT_FALSE(assembly.add(piece_of(2, 5, 5))) << "its beginning was replaced";
}

TEST(TailAssembly, IgnoresWhatDoesNotFollow) {
  TailAssembly assembly;
  EXPECT_FALSE(assembly.add(piece_of(2, 5, 5))) << "its beginning is missing";
  EXPECT_FALSE(assembly.add(piece_of(0, 2, 5)));
  EXPECT_FALSE(assembly.add(piece_of(3, 5, 5)));
  EXPECT_FALSE(assembly.add(piece_of(2, 6, 6))) << "it is of another tail";
  EXPECT_TRUE(assembly.add(piece_of(2, 5, 5)));
}

}  // namespace
}  // namespace carrack::train
