// Any bytes give a value or a Corrupt: 10,000 changed copies of each format, whole, cut, and with sound checksums
// around unsound content. Under `asan` a read outside them is seen; a hang is seen by the time limit.
#include <gtest/gtest.h>

#include <random>

#include "tests/trainer/checkpoint/any_bytes.h"
#include "tests/trainer/checkpoint/samples.h"
#include "trainer/checkpoint/head.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/checkpoint/statistics.h"

namespace carrack::checkpoint {
namespace {

constexpr int mutations = 10'000;

std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&random](std::size_t most) { return random() % most; };
  for (auto changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        bytes.erase(at, 1 + below(8));
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(16)));
        break;
      default:
        bytes[at] = "\x00\x7f\x80\xff"[below(4)];
    }
  }
  if (below(8) == 0) bytes.resize(below(bytes.size() + 1));
  return bytes;
}

struct Outcomes {
  int sound = 0;
  int corrupt = 0;
};

template <class Try>
Outcomes each_mutation(const std::string& bytes, const Try& try_it) {
  std::mt19937 random(1);
  Outcomes outcomes;
  for (int i = 0; i < mutations; ++i) ++(try_it(mutated(bytes, random)) ? outcomes.sound : outcomes.corrupt);
  return outcomes;
}

std::string small_index() {
  samples::Files files;
  const auto merged =
      merge(samples::write_shards(files, {{"a", DType::uint8, {5, 2}}, {"b", DType::int64, {}}}, "p", 3));
  return encode_index(std::get<Bundle>(merged));
}

TEST(Mutations, OfAnIndexAreNeverTakenForSoundOnes) {
  const Outcomes outcomes = each_mutation(small_index(), any_bytes::as_index);
  EXPECT_GT(outcomes.corrupt, mutations * 8 / 10);  // Some change what nobody reads: padding, metadata, themselves.
}

TEST(Mutations, OfABlockWithSoundChecksumsAreRead) {
  const std::string index = small_index();
  const std::string block = index.substr(0, any_bytes::first_block_size(index));
  const Outcomes outcomes = each_mutation(block, any_bytes::as_block);
  EXPECT_GT(outcomes.sound, 100);
  EXPECT_GT(outcomes.corrupt, 1000);
}

TEST(Mutations, OfEntriesInASoundTableAreRead) {
  const std::string rows = any_bytes::rows_of(small_index());
  const Outcomes outcomes = each_mutation(rows, any_bytes::as_rows);
  EXPECT_GT(outcomes.sound, 100);
  EXPECT_GT(outcomes.corrupt, 1000);
}

TEST(Mutations, OfAManifestAreRead) {
  const Manifest manifest{
      .job = "job",
      .cut = {1, 2, 3, 4},
      .timeline = 0,
      .seed = 1,
      .epoch = 2,
      .position = 3,
      .order = "full",
      .digest = 1,
      .shards = 1,
      .applied = {{1, 2, 3}},
      .files = {{"checkpoint-1-2-3-4.index", 1, 2, 3}, {"checkpoint-1-2-3-4.data-00000-of-00001", 1, 2, 3}}};
  const std::string text = encode_manifest(manifest);
  EXPECT_LT(each_mutation(text, any_bytes::as_manifest).sound, mutations / 20);  // Only those that changed nothing.
  const std::string content = text.substr(0, text.rfind("crc32c "));
  EXPECT_GT(each_mutation(content, [](const std::string& one) { return any_bytes::as_manifest(seal(one)); }).sound, 50);
}

TEST(Mutations, OfAHeadAreRead) {
  const std::string text = encode_head({"job", 1, 2, "nonce", Committed{"checkpoint-1-2-3-4.manifest", 5}, {}, false});
  EXPECT_LT(each_mutation(text, any_bytes::as_head).sound, mutations / 20);
  const std::string content = text.substr(0, text.rfind("crc32c "));
  EXPECT_GT(each_mutation(content, [](const std::string& one) { return any_bytes::as_head(seal(one)); }).sound, 100);
}

TEST(Mutations, OfStatisticsAreRead) {
  const std::string text = encode_statistics({"an order", {{"one", "x", {{1, 2}, {3, 4}}}, {"two", "y z", {{5, 6}}}}});
  EXPECT_LT(each_mutation(text, any_bytes::as_statistics).sound, mutations / 20);
  const std::string content = text.substr(0, text.rfind("crc32c "));
  EXPECT_GT(each_mutation(content, [](const std::string& one) { return any_bytes::as_statistics(seal(one)); }).sound,
            100);
}

TEST(Mutations, OfASafetensorsFileAreRead) {
  const std::string header = R"({"__metadata__":{"a":"b"},"v":{"dtype":"F16","shape":[2,1],"data_offsets":[8,12]},)"
                             R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  std::string file;
  put_fixed64(file, header.size());
  const Outcomes outcomes = each_mutation(file + header + std::string(12, '\x01'), any_bytes::as_safetensors);
  EXPECT_GT(outcomes.sound, 100);
  EXPECT_GT(outcomes.corrupt, 1000);
}

}  // namespace
}  // namespace carrack::checkpoint
