#include "dataloader/memory/equal_pieces.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace carrack::data {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t size = std::size_t{256} << 10;

std::uintptr_t page_of(const std::shared_ptr<std::byte[]>& piece) {
  return reinterpret_cast<std::uintptr_t>(piece.get()) / huge_page;
}

TEST(EqualPieces, FillHugePages) {
  const EqualPieces pieces(size);
  std::vector<std::shared_ptr<std::byte[]>> taken;
  std::set<std::uintptr_t> pages;
  std::set<const std::byte*> places;
  for (std::size_t i = 0; i < 3 * huge_page / size; ++i) {
    taken.push_back(pieces.take());
    std::memset(taken.back().get(), static_cast<int>(i), size);
    pages.insert(page_of(taken.back()));
    places.insert(taken.back().get());
  }
  EXPECT_EQ(pages.size(), 3u);
  EXPECT_EQ(places.size(), taken.size());
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i][0], static_cast<std::byte>(i));
    EXPECT_EQ(taken[i][size - 1], static_cast<std::byte>(i));
  }
}

TEST(EqualPieces, APieceIsUsedAgainAfterItsLastOwner) {
  const EqualPieces pieces(size);
  auto first = pieces.take();
  auto second = first;
  const void* at = first.get();
  first.reset();
  EXPECT_NE(pieces.take().get(), at);
  second.reset();
  EXPECT_EQ(pieces.take().get(), at);
}

TEST(EqualPieces, APieceOutlivesTheObject) {
  std::optional<EqualPieces> pieces(size);
  const auto piece = pieces->take();
  pieces.reset();
  std::memset(piece.get(), 1, size);
  EXPECT_EQ(piece[size - 1], std::byte{1});
}

TEST(EqualPieces, MayBeOfAnySize) {
  for (const std::size_t any : {std::size_t{1}, size + 1, huge_page - 1, huge_page, 2 * huge_page + 1}) {
    const EqualPieces pieces(any);
    const auto one = pieces.take(), other = pieces.take();
    std::memset(one.get(), 1, any);
    std::memset(other.get(), 2, any);
    EXPECT_EQ(one[any - 1], std::byte{1}) << any;
  }
}

TEST(EqualPieces, AreTakenByManyThreadsAtOnce) {
  const EqualPieces pieces(size);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 1000; ++i) {
        const auto piece = pieces.take();
        piece[0] = static_cast<std::byte>(thread);
        EXPECT_EQ(piece[0], static_cast<std::byte>(thread));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace carrack::data
