#include "trainer/kernels/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "trainer/error.h"

namespace carrack::train {
namespace {

Layout of(const std::vector<Shape>& shapes) {
  std::vector<NamedShape> tensors;
  for (const Shape& shape : shapes) tensors.push_back({std::to_string(tensors.size()), shape});
  return Layout(tensors);
}

// Every layout of one to three tensors of these shapes: scalars, short and long vectors, rows that fit many times,
// once, and not at all in a block.
std::vector<Layout> layouts() {
  const std::vector<Shape> shapes{{}, {1}, {4096}, {10000}, {3, 4097}, {9, 1000}, {5, 2, 2048}};
  std::vector<Layout> all;
  for (const Shape& a : shapes) {
    all.push_back(of({a}));
    for (const Shape& b : shapes) {
      all.push_back(of({a, b}));
      for (const Shape& c : shapes) all.push_back(of({a, b, c}));
    }
  }
  return all;
}

TEST(Layout, PlacesTensorsInOrderWithoutGaps) {
  const Layout layout({{"w", {3, 5}}, {"b", {}}, {"e", {7}}});
  EXPECT_EQ(layout.size(), 23);
  EXPECT_EQ(layout.tensor("w").range, (Range{0, 15}));
  EXPECT_EQ(layout.tensor("b").range, (Range{15, 16}));
  EXPECT_EQ(layout.tensor("e").range, (Range{16, 23}));
}

TEST(Layout, BlocksCoverEverythingAndHoldWholeRowsOfOneTensorAsManyAsFit) {
  for (const Layout& layout : layouts()) {
    std::int64_t at = 0, number = 0;
    for (const PlacedTensor& tensor : layout.tensors()) {
      while (at < tensor.range.end) {
        const Range block = layout.block(number++);
        ASSERT_EQ(block.begin, at);
        ASSERT_LE(block.end, tensor.range.end) << "spans two tensors";
        ASSERT_EQ(block.size() % tensor.row_size, 0) << "cuts a row";
        ASSERT_TRUE(block.size() <= block_elements_max || block.size() == tensor.row_size);
        const bool more_fits = block.size() + tensor.row_size <= block_elements_max && block.end < tensor.range.end;
        ASSERT_FALSE(more_fits);
        at = block.end;
      }
    }
    ASSERT_EQ(number, layout.block_count());
    ASSERT_EQ(at, layout.size());
  }
}

TEST(Ranges, CoverEverythingInOrderAtBlocksAndAsEvenlyAsBlocksAllow) {
  for (const Layout& layout : layouts()) {
    std::int64_t largest_block = 0;
    std::vector<std::int64_t> cuts{layout.size()};
    for (std::int64_t i = 0; i < layout.block_count(); ++i) {
      cuts.push_back(layout.block(i).begin);
      largest_block = std::max(largest_block, layout.block(i).size());
    }
    for (int servers = 1; servers <= layout.block_count(); ++servers) {
      const std::vector<Range> cut = ranges_by_server(layout, servers);
      ASSERT_EQ(cut.size(), static_cast<std::size_t>(servers));
      std::int64_t at = 0;
      for (const Range& range : cut) {
        ASSERT_EQ(range.begin, at);
        ASSERT_GT(range.size(), 0);
        ASSERT_LE(range.size(), layout.size() / servers + largest_block);
        ASSERT_TRUE(std::ranges::count(cuts, range.end)) << "does not end at a block";
        at = range.end;
      }
      ASSERT_EQ(at, layout.size());
    }
  }
}

TEST(Ranges, OfEqualBlocksDifferByOneBlockAtMost) {
  for (std::int64_t blocks = 1; blocks <= 40; ++blocks) {
    const Layout layout = of({{blocks * block_elements_max}});
    for (int servers = 1; servers <= blocks; ++servers) {
      for (const Range& range : ranges_by_server(layout, servers)) {
        ASSERT_GE(range.size() / block_elements_max, blocks / servers);
        ASSERT_LE(range.size() / block_elements_max, (blocks + servers - 1) / servers);
      }
    }
  }
}

TEST(Ranges, OfTwentyThousandFeaturesGiveEachOfTwoServersAtLeastTwoBlocks) {
  const Layout layout({{"w", {20000}}, {"b", {1}}});
  EXPECT_EQ(layout.block_count(), 6);
  EXPECT_EQ(ranges_by_server(layout, 2), (std::vector<Range>{{0, 8192}, {8192, 20001}}));
}

TEST(Ranges, RefuseMoreServersThanBlocks) {
  try {
    ranges_by_server(Layout({{"w", {20000}}, {"b", {1}}}), 7);
    FAIL() << "cut six blocks in seven";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::bug);
    EXPECT_STREQ(error.what(), "ranges_by_server: 7 parameter servers for 6 blocks");
  }
}

TEST(Slices, OfAllRangesTogetherAreEveryRowOfEveryTensorOnce) {
  for (const Layout& layout : layouts()) {
    for (int servers = 1; servers <= layout.block_count(); ++servers) {
      std::vector<std::int64_t> rows(layout.tensors().size());
      for (const Range& range : ranges_by_server(layout, servers)) {
        std::int64_t at = range.begin;
        for (const Slice& slice : slices(layout, range)) {
          const PlacedTensor& tensor = layout.tensor(slice.name);
          std::int64_t& next_row = rows[static_cast<std::size_t>(&tensor - layout.tensors().data())];
          ASSERT_EQ(slice.shape, tensor.shape);
          ASSERT_EQ(slice.offset, at);
          ASSERT_EQ(slice.row_begin, next_row);
          ASSERT_EQ(slice.size, slice.row_count * tensor.row_size);
          next_row += slice.row_count;
          at += slice.size;
        }
        ASSERT_EQ(at, range.end);
      }
      for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], layout.tensors()[i].rows);
    }
  }
}

void expect_bug(const char* text, const std::function<void()>& act) {
  try {
    act();
    FAIL() << "expected: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::bug);
    EXPECT_STREQ(error.what(), text);
  }
}

TEST(Layout, RefusesWhatIsNone) {
  expect_bug("Layout: w has a dimension below one", [] { Layout({{"w", {3, 0}}}); });
  expect_bug("Layout: two tensors are named w", [] { Layout({{"w", {3}}, {"w", {4}}}); });
  expect_bug("Layout: no tensor is named v", [] { Layout({{"w", {3}}}).tensor("v"); });
  expect_bug("Layout: no block 1", [] { Layout({{"w", {3}}}).block(1); });
  expect_bug("slices: the range cuts a row of w", [] { slices(Layout({{"w", {3, 2}}}), {1, 4}); });
  expect_bug("ranges_by_server: no parameter servers", [] { ranges_by_server(Layout({{"w", {3}}}), 0); });
}

}  // namespace
}  // namespace carrack::train
