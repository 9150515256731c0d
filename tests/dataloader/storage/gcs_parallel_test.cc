// Objects of many ranges, read by many requests at once and in turn, with what GCS and the network do to them played by
// the fault proxy.
#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "dataloader/storage/remote/ranges.h"
#include "tests/contract/storage_objects.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;
using tests::Always;
using tests::Answer;
using tests::Cut;
using tests::Faults;
using tests::LoseReply;
using tests::Nth;
using tests::Share;
using tests::Slow;
using tests::Stall;

const std::string object = "gs://bucket/a";
const std::string media = "alt=media";

class GcsParallel : public tests::ObjectStoreTest {
 protected:
  void SetUp() override {
    ObjectStoreTest::SetUp();
    if (proxy == nullptr) return;
    storage = make_storage([](milliseconds) {});
    stat = put(*storage, object, content);
  }
  void TearDown() override {
    storage.reset();  // Before the proxy.
  }

  std::unique_ptr<GcsStorage> make_storage(Sleeper sleep, std::uint64_t read_ahead = std::uint64_t{256} << 20) const {
    return std::make_unique<GcsStorage>(GcsClientSettings{.endpoint = proxy->url(),
                                                          .token = {},
                                                          .sleep = std::move(sleep),
                                                          .retries = {},
                                                          .read_ahead_bytes = read_ahead});
  }

  // Compares without printing megabytes.
  bool is_content(const Bytes& bytes, std::uint64_t offset = 0) const {
    return text_from(bytes) == content.substr(offset, bytes.size());
  }
  ReadResult read(Bytes& into, std::uint64_t offset = 0, const std::optional<Version>& version = std::nullopt) {
    const Slice slice{offset, into};
    return storage->read(object, {&slice, 1}, version);
  }
  // In turn, in pieces of odd sizes.
  ReadResult read_in_turn(Bytes& into, Storage& from) {
    const auto reader = from.open(object, stat);
    std::span<std::byte> rest = into;
    for (std::size_t size = 1; !rest.empty(); size = size * 3 % 700'001) {
      const auto piece = rest.first(std::min(size, rest.size()));
      if (const ReadResult result = reader->read(piece); result != ReadResult::complete) return result;
      rest = rest.subspan(piece.size());
    }
    return ReadResult::complete;
  }
  std::uint64_t gets() const { return proxy->counters().methods["GET"]; }

  const std::string content = noise(5 * range_bytes_max + 12'345, 1);
  ObjectStat stat;
  std::unique_ptr<GcsStorage> storage;
};

TEST_F(GcsParallel, ALongReadTakesTheTimeOfItsLongestRange) {
  proxy->set({0, {{"GET", media, Always{}, Slow{milliseconds(400), std::nullopt}}}});
  const auto begun = std::chrono::steady_clock::now();
  Bytes all(content.size());
  EXPECT_EQ(read(all, 0, stat.version), ReadResult::complete);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, milliseconds(6 * 400));
  EXPECT_TRUE(is_content(all));
  EXPECT_EQ(gets(), 6u);
}

TEST_F(GcsParallel, NearSlicesAreOneRequestAndFarOnesSeveral) {
  proxy->set({});
  Bytes one(100), near(1000), far(10);
  const std::vector<Slice> slices{{1'200, near}, {0, one}, {4 * range_bytes_max, far}};
  EXPECT_EQ(storage->read(object, slices, stat.version), ReadResult::complete);
  EXPECT_TRUE(is_content(one, 0));
  EXPECT_TRUE(is_content(near, 1'200));
  EXPECT_TRUE(is_content(far, 4 * range_bytes_max));
  EXPECT_EQ(gets(), 2u);
}

TEST_F(GcsParallel, AllRangesAreOfTheVersionThatTheFirstReplyTells) {
  proxy->set({0, {{"GET", "bytes=0-", Always{}, Slow{}}, {"GET", media, Nth{{1}}, Stall{100'000, milliseconds(300)}}}});
  Bytes all(content.size());
  std::jthread replacing([&] {
    std::this_thread::sleep_for(milliseconds(100));
    put(*make_storage([](milliseconds) {}), object, noise(content.size(), 2));
  });
  const ReadResult result = read(all);
  EXPECT_TRUE(result == ReadResult::changed || (result == ReadResult::complete && is_content(all)));
}

TEST_F(GcsParallel, WhatEndsAReadIsToldOfTheFirstRangeThatItEnds) {
  Bytes past(2 * range_bytes_max);
  EXPECT_EQ(read(past, content.size() - range_bytes_max), ReadResult::past_end);
  const std::vector<Slice> slices{{content.size() + 5, std::span(past).first(7)},
                                  {0, std::span(past).last(range_bytes_max)}};
  EXPECT_EQ(storage->read(object, slices, std::nullopt), ReadResult::past_end);
  EXPECT_EQ(read(past, 0, Version{"1"}), ReadResult::changed);
  proxy->set({0, {{"GET", media, Nth{{2, 3, 4, 5, 6}}, Answer{403, false}}}});
  Bytes all(content.size());
  for (int i = 0; i < 5; ++i) {
    try {
      const ReadResult result = read(all, 0, stat.version);
      FAIL() << "read " << i << " gave result " << static_cast<int>(result) << " after " << proxy->counters().requests
             << " requests";
    } catch (const Refused& error) {
      EXPECT_STREQ(error.what(), "gs://bucket/a: HTTP 403: a fault of the test; give the account the right to do this");
    }
    proxy->set(proxy->faults());
  }
}

TEST_F(GcsParallel, RangesOfAnAbsentObjectAreOneRequest) {
  proxy->set({});
  Bytes all(content.size());
  const Slice slice{0, all};
  EXPECT_EQ(storage->read("gs://bucket/none", {&slice, 1}, std::nullopt), ReadResult::absent);
  EXPECT_EQ(gets(), 1u);
}

TEST_F(GcsParallel, EachRangeIsContinuedWhereItsReplyEnded) {
  proxy->set({3,
              {{"GET", media, Share{0.3}, Cut{range_bytes_max / 2}},
               {"GET", media, Share{0.2}, Answer{503, false}},
               {"GET", media, Share{0.2}, LoseReply{}}}});
  for (int i = 0; i < 3; ++i) {
    Bytes all(content.size());
    ASSERT_EQ(read(all), ReadResult::complete);
    EXPECT_TRUE(is_content(all));
    Bytes in_turn(content.size());
    ASSERT_EQ(read_in_turn(in_turn, *storage), ReadResult::complete);
    EXPECT_TRUE(is_content(in_turn));
  }
  EXPECT_GT(proxy->counters().faults["cut"], 3u);
  EXPECT_LT(proxy->counters().bytes_sent, 7 * content.size());
}

// The checksum that the proxy's server tells is that of the object's bytes, not of those that a reply brings.
TEST_F(GcsParallel, AReaderInTurnSeesEachByteOnce) {
  for (const std::uint64_t budget : {std::uint64_t{0}, 2 * range_bytes_max, std::uint64_t{1} << 30}) {
    const auto with_budget = make_storage([](milliseconds) {}, budget);
    Bytes all(content.size());
    EXPECT_EQ(read_in_turn(all, *with_budget), ReadResult::complete);
    EXPECT_TRUE(is_content(all)) << budget;
  }
}

TEST_F(GcsParallel, AReaderThatWaitsIsReadAheadOfAndOneThatDoesNotIsNot) {
  proxy->set({0, {{"GET", media, Always{}, Slow{milliseconds(50), std::nullopt}}}});
  const auto reader = storage->open(object, stat);
  Bytes piece(1000);
  EXPECT_EQ(reader->read(piece), ReadResult::complete);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(gets(), 1u);
  Bytes more(3 * range_bytes_max);
  EXPECT_EQ(reader->read(more), ReadResult::complete);
  EXPECT_GE(gets(), 4u);
  EXPECT_TRUE(is_content(more, 1000));
}

TEST_F(GcsParallel, AReaderOfAnObjectThatIsReplacedIsToldSo) {
  const auto with_little = make_storage([](milliseconds) {}, range_bytes_max);
  const auto reader = with_little->open(object, stat);
  Bytes piece(range_bytes_max);
  EXPECT_EQ(reader->read(piece), ReadResult::complete);
  put(*storage, object, "new");
  EXPECT_EQ(reader->read(piece), ReadResult::changed);
}

TEST_F(GcsParallel, AReaderThatEndsEarlyEndsItsRequests) {
  proxy->set({0, {{"GET", media, Always{}, Stall{1'000'000, milliseconds(60'000)}}}});
  const auto begun = std::chrono::steady_clock::now();
  {
    const auto reader = storage->open(object, stat);
    Bytes piece(900'000);
    EXPECT_EQ(reader->read(piece), ReadResult::complete);
  }
  storage.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(GcsParallel, ASilentRequestIsOvertakenByASecondOne) {
  // One of them may be the last range, which is short.
  proxy->set({0, {{"GET", media, Nth{{2, 3}}, Stall{range_bytes_max / 3, milliseconds(60'000)}}}});
  const auto begun = std::chrono::steady_clock::now();
  Bytes all(content.size());
  EXPECT_EQ(read(all, 0, stat.version), ReadResult::complete);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  EXPECT_TRUE(is_content(all));
  EXPECT_GE(proxy->counters().faults["stall"], 1u);
  EXPECT_EQ(gets(), 6 + proxy->counters().faults["stall"]);
  EXPECT_LT(proxy->counters().bytes_sent, content.size() + range_bytes_max);
}

TEST_F(GcsParallel, AReaderInTurnIsNotHeldUpByASilentRequest) {
  proxy->set({0, {{"GET", media, Nth{{1, 4}}, Stall{range_bytes_max / 3, milliseconds(60'000)}}}});
  const auto begun = std::chrono::steady_clock::now();
  Bytes all(content.size());
  EXPECT_EQ(read_in_turn(all, *storage), ReadResult::complete);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
  EXPECT_TRUE(is_content(all));
}

TEST_F(GcsParallel, ASlowServiceIsNotAskedTwiceAsMuch) {
  Bytes some(1000);
  for (int i = 0; i < 40; ++i) read(some, 0, stat.version);  // So that stall_threshold are known, and short.
  proxy->set({0, {{"GET", media, Always{}, Slow{milliseconds(400), std::nullopt}}}});
  for (int i = 0; i < 12; ++i) EXPECT_EQ(read(some, 0, stat.version), ReadResult::complete);
  EXPECT_LE(gets(), 12u + 6u);
}

TEST_F(GcsParallel, AStormOfFaultsChangesNoByteAndEndsNoThread) {
  proxy->set({5,
              {{"GET", media, Share{0.1}, Answer{503, false}},
               {"GET", media, Share{0.1}, Cut{range_bytes_max / 3}},
               {"GET", media, Share{0.05}, Stall{range_bytes_max / 4, milliseconds(700)}},
               {"GET", media, Share{0.05}, LoseReply{}}}});
  std::vector<std::jthread> readers;
  for (unsigned reader = 0; reader < 6; ++reader) {
    readers.emplace_back([&, reader] {
      Bytes all(content.size());
      if (reader % 2 == 0) {
        EXPECT_EQ(read(all, 0, stat.version), ReadResult::complete);
      } else {
        EXPECT_EQ(read_in_turn(all, *storage), ReadResult::complete);
      }
      EXPECT_TRUE(is_content(all));
    });
  }
}

}  // namespace
}  // namespace carrack::data
