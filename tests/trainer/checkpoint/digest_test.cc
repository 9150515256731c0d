#include "trainer/checkpoint/digest.h"

#include <gtest/gtest.h>

#include "dataloader/crc32c.h"
#include "tests/trainer/checkpoint/samples.h"

namespace carrack::checkpoint {
namespace {

std::string lines(std::uint32_t shards) {
  samples::Files files;
  const auto merged = merge(samples::write_shards(files, samples::samples(), "p", shards));
  return std::get<std::string>(digest_lines(std::get<Bundle>(merged)));
}

TEST(Digest, IsTheSameForAnyNumberOfShards) {
  EXPECT_EQ(lines(1), lines(2));
  EXPECT_EQ(lines(1), lines(7));
}

// The worked value of docs/formats/checkpoint.md.
TEST(Digest, HasTheDocumentedLine) {
  samples::Files files;
  const auto merged = merge(samples::write_shards(files, {{"w", DType::uint8, {3, 3}}}, "p", 2));
  const std::string text = std::get<std::string>(digest_lines(std::get<Bundle>(merged)));
  EXPECT_EQ(text, "w uint8 [3,3] 7144c5a8\n");
  EXPECT_EQ(data::crc32c_hex(digest_of(text)), "bd8faabb");
}

TEST(Digest, DiffersWithEachThingThatItCovers) {
  const Tensor tensor{DType::uint8, {2}, {{{{0, 2}}, 0, 0, 2, 7}}};
  const auto of = [](const std::string& name, const Tensor& one) {
    return std::get<std::string>(digest_lines({1, {{name, one}}}));
  };
  const std::string digest = of("a", tensor);
  EXPECT_NE(of("b", tensor), digest);
  EXPECT_NE(of("a", {DType::int8, {2}, tensor.parts}), digest);
  EXPECT_NE(of("a", {DType::uint8, {2, 1}, {{{{0, 2}, {0, 1}}, 0, 0, 2, 7}}}), digest);
  EXPECT_NE(of("a", {DType::uint8, {2}, {{{{0, 2}}, 0, 0, 2, 8}}}), digest);
}

TEST(Digest, PassesOverStringsAndRefusesSlicesOfColumns) {
  const Tensor strings{DType::string, {2}, {{{{0, 2}}, 0, 0, 2, 7}}};
  EXPECT_EQ(std::get<std::string>(digest_lines({1, {{"graph", strings}}})), "");
  const Tensor columns{DType::uint8, {1, 2}, {{{{0, 1}, {0, 1}}, 0, 0, 1, 7}, {{{0, 1}, {1, 1}}, 0, 1, 1, 7}}};
  EXPECT_EQ(std::get<Corrupt>(digest_lines({1, {{"w", columns}}})).text,
            "tensor w lies in slices that are not runs of rows, so it has no digest");
}

}  // namespace
}  // namespace carrack::checkpoint
