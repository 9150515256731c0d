// What checkpoints have as `order`. A text here that changes makes every job with such a checkpoint fail.
#include "trainer/loop/setup/order_text.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

const data::RecordTotals records{.files = 2, .records = 20000, .bytes = 760000, .crc32c = 0x62ef409b};
const std::string text_of_records = "carrack-order v2 files=2 records=20000 bytes=760000 crc32c=62ef409b";
const std::string legacy_of_records = "files 2, records 20000, bytes 760000, crc32c 62ef409b";

Order order_with(std::vector<Stage> stages, bool by_blocks = false, std::uint64_t lanes = 1, bool own_runs = false) {
  return order_of_set({.records = records, .stages = std::move(stages), .by_blocks = by_blocks}, {by_blocks, lanes}, own_runs);
}

void expect(const Order& order, const std::string& text, const std::string& legacy) {
  EXPECT_EQ(order.text, text_of_records + text);
  EXPECT_EQ(order.legacy, legacy_of_records + legacy);
}

TEST(OrderText, HasEachStageWithItsOptions) {
  expect(order_with({}), "", "; no stages");
  expect(order_with({Interleave{16, 1}}), " stage=interleave cycle=16 block=1", "; interleave 16 1");
  expect(order_with({Shard{4, 3}}), " stage=shard count=4 index=3", "; shard 4 3");
  expect(order_with({Skip{7}}), " stage=skip records=7", "; skip 7");
  expect(order_with({Take{8}}), " stage=take records=8", "; take 8");
  expect(order_with({Shuffle{ShuffleKind::full, 7, 7}}), " stage=shuffle kind=full", "");
  expect(order_with({Shuffle{ShuffleKind::block, 5, 16}}), " stage=shuffle kind=block block=5 window=16",
         "; shuffle Block 5 16 by runs");
  expect(order_with({Repeat{3}}), " stage=repeat times=3", "; repeat 3");
  expect(order_with({Cache{"1Gi"}}), " stage=cache", "; cache");
  expect(order_with({Filter{"a b=c", 0.5, {}}, Snapshot{"gs://b/f"}}), " stage=filter feature=a%20b%3dc min=0.5 max=-",
         "; filter 0.5 - a b=c");
  expect(order_with({Skip{1}, Take{2}}), " stage=skip records=1 stage=take records=2", "; skip 1; take 2");
}

TEST(OrderText, HasTheEffectOfAShuffleOnThisData) {
  const Shuffle by_place;
  expect(order_with({by_place}), " stage=shuffle kind=full", "");
  expect(order_with({by_place}, true), " stage=shuffle kind=block block=0 window=16", "; shuffle Block 0 16 by runs");
  expect(order_with({by_place}, true, 8, true), " stage=shuffle kind=block block=0 window=2 lanes=8",
         "; shuffle Block 0 2 by runs; in 8 lanes");
}

TEST(OrderText, HasTheSetsOfAMixAndTheStagesBehindIt) {
  const OrderedSet one{.records = records, .stages = {Shuffle{}}, .weight = 0.75};
  const OrderedSet other{.records = {1, 5, 100, 1}, .stages = {}, .weight = 0.25};
  const Order order = order_of_mix({one, other}, {Take{9}}, {}, false);
  EXPECT_EQ(
      order.text,
      "carrack-order v2 mix=2 weight=0.75 files=2 records=20000 bytes=760000 crc32c=62ef409b stage=shuffle kind=full "
      "weight=0.25 files=1 records=5 bytes=100 crc32c=00000001 mixed=2 stage=take records=9");
  EXPECT_EQ(order.legacy,
            "0.75 of (files 2, records 20000, bytes 760000, crc32c 62ef409b), "
            "0.25 of (files 1, records 5, bytes 100, crc32c 00000001; no stages); take 9");
}

TEST(OrderText, IsComparedInTheFormOfTheOther) {
  const Order order = order_with({Skip{7}});
  EXPECT_TRUE(is_same_order("", order)) << "not known";
  EXPECT_TRUE(is_same_order(order.text, order));
  EXPECT_TRUE(is_same_order("files 2, records 20000, bytes 760000, crc32c 62ef409b; skip 7", order));
  EXPECT_FALSE(is_same_order("files 2, records 20000, bytes 760000, crc32c 62ef409b", order));
  EXPECT_FALSE(is_same_order(text_of_records, order));
  EXPECT_FALSE(is_same_order(text_of_records + " stage=skip records=8", order));
}

TEST(OrderText, IsDescribedInWords) {
  EXPECT_EQ(describe_order(order_with({Skip{7}}).text),
            "files 2, records 20000, bytes 760000, crc32c 62ef409b, stage skip, records 7");
  EXPECT_EQ(describe_order("first pass in 8 lanes, files 12"), "first pass in 8 lanes, files 12");
}

}  // namespace
}  // namespace carrack::train
