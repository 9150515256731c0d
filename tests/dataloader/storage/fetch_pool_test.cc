// As many requests as may be out, and what none of them may hold up.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "dataloader/storage/gcs/gcs_object.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "dataloader/storage/remote/fetch_pool.h"
#include "tests/contract/storage_objects.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;
using tests::Answer;
using tests::Nth;
using tests::Slow;
using tests::Stall;

const std::string media = "alt=media";
constexpr std::size_t many = 64;  // So many may be out.

class GcsFetching : public tests::ObjectStoreTest {
 protected:
  void SetUp() override {
    ObjectStoreTest::SetUp();
    if (proxy == nullptr) return;
    const GcsClientSettings settings{
        .endpoint = proxy->url(),
        .token = {},
        .sleep = {},
        .retries = {.first_delay = std::chrono::hours(1), .longest_delay = std::chrono::hours(1)},
    };
    GcsStorage storage(settings);
    put(storage, "gs://bucket/a", content);
    client = std::make_unique<GcsClient>(settings);
    pool = std::make_unique<FetchPool>(*client);
  }
  void TearDown() override {
    pool.reset();  // Before the proxy.
  }

  std::shared_ptr<RangeFetch> start(std::span<std::byte> into) {
    const auto object = std::make_shared<GcsObject>("gs://bucket/a", "/storage/v1/b/bucket/o/a", std::nullopt);
    auto fetch = std::make_shared<RangeFetch>(object, ObjectRange{0, into.size(), {{0, into}}}, false);
    pool->start(fetch);
    return fetch;
  }
  void wait_for_gets(std::uint64_t number) const {
    while (proxy->counters().methods["GET"] < number) std::this_thread::sleep_for(milliseconds(1));
  }

  static Nth first(std::size_t number) {
    Nth numbers{std::vector<std::uint64_t>(number)};
    std::iota(numbers.numbers.begin(), numbers.numbers.end(), 1);
    return numbers;
  }

  const std::string content = noise(1 << 20, 1);
  Bytes bytes = Bytes(content.size());
  std::unique_ptr<GcsClient> client;
  std::unique_ptr<FetchPool> pool;
};

TEST_F(GcsFetching, WhatWaitsToBeTriedAgainHoldsUpNobody) {
  proxy->set({0, {{"GET", media, first(many), Answer{503, false}}}});
  for (std::size_t i = 0; i < many; ++i) start(std::span(bytes).subspan(i, 1));
  wait_for_gets(many);
  EXPECT_EQ(start(std::span(bytes).last(1))->wait(), ReadResult::complete);
}

TEST_F(GcsFetching, ASilentRequestIsOvertakenThoughAsManyAreOutAsMayBe) {
  proxy->set({0, {{"GET", media, first(many), Stall{0, milliseconds(600'000)}}}});
  std::vector<std::shared_ptr<RangeFetch>> fetches;
  for (std::size_t i = 0; i < many; ++i) fetches.push_back(start(std::span(bytes).subspan(i, 1)));
  const auto came = [](const auto& fetch) { return fetch->received() == 1; };
  while (std::ranges::none_of(fetches, came)) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_GT(proxy->counters().methods["GET"], many);
}

TEST_F(GcsFetching, ATrickleIsOvertakenAsASilenceIs) {
  proxy->set({0, {{"GET", media, Nth{{1}}, Slow{milliseconds(0), 1000}}}});
  const auto fetch = start(bytes);
  EXPECT_EQ(fetch->wait(), ReadResult::complete);
  EXPECT_TRUE(text_from(bytes) == content);
  EXPECT_EQ(proxy->counters().methods["GET"], 2u);
}

}  // namespace
}  // namespace carrack::data
