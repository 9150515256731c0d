// The engine that reads remote objects, over a client in memory: no network, no server.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/mutex.h"
#include "dataloader/storage/remote/fetch_pool.h"
#include "dataloader/storage/remote/range_read.h"
#include "dataloader/storage/remote/sequential_reader.h"
#include "tests/support/no_new_threads.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;

class TestObject : public RemoteObject {
 public:
  TestObject() : RemoteObject("test://a", Version{"1"}) {}

 protected:
  HttpRequest read_request(const std::optional<Version>&) const override { return {.method = "GET", .target = "/a"}; }
  ReplyHead parse_head(const HttpReply&) const override { return {}; }
  [[noreturn]] void throw_unexpected_reply(const HttpReply& reply) const override {
    throw Error("status " + std::to_string(reply.status));
  }
};

// Answers requests from `content`, after `before` has looked at them.
class TestClient : public RangeClient {
 public:
  // Sends the bytes of the request up to `bytes_max`, then fails unless these are all.
  HttpReply answer(const HttpRequest& request, std::size_t bytes_max = ~std::size_t{0}) const {
    std::size_t first = 0, last = 0;
    EXPECT_EQ(std::sscanf(request.headers.back().second.c_str(), "bytes=%zu-%zu", &first, &last), 2);
    HttpReply reply{.status = 206};
    reply.headers.emplace_back("Content-Range", "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                                                    std::to_string(content.size()));
    const std::size_t size = std::min(last + 1 - first, bytes_max);
    for (std::size_t at = 0; at < size; at += 60'000) {
      const auto piece =
          std::as_bytes(std::span(content)).subspan(first + at, std::min<std::size_t>(60'000, size - at));
      if (!request.receive(reply, piece)) return reply;
    }
    reply.is_complete = first + size == last + 1;
    return reply;
  }
  HttpReply send(HttpRequest request) override {
    const int number = ++requests;
    return handle ? handle(request, number) : answer(request);
  }
  Backoff backoff() override { return Backoff({.tries = 1000, .first_delay = milliseconds(1)}, 1); }
  milliseconds retry_delay(Backoff&, const std::string&, const HttpReply&) override { return delay; }

  std::function<HttpReply(const HttpRequest&, int number)> handle;
  milliseconds delay{1};
  std::atomic<int> requests = 0;
  std::string content = [] {
    std::string text(20'000'000, ' ');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 2654435761u >> 13);
    return text;
  }();
};

// Waits as a silent server does, until the request is stopped.
void stall(const HttpRequest& request) {
  Mutex mutex;
  ConditionVariable changed;
  bool stopped = false;
  if (!request.stop->watch([&] {
        const MutexLock lock(mutex);
        stopped = true;
        changed.notify_all();
      }))
    return;
  {
    MutexLock lock(mutex);
    while (!stopped) changed.wait(lock);
  }
  request.stop->watch(nullptr);
}

class RemoteEngine : public testing::Test {
 protected:
  std::shared_ptr<RangeFetch> start(FetchPool& pool, std::uint64_t offset, std::span<std::byte> into) {
    auto fetch = std::make_shared<RangeFetch>(object, ObjectRange{offset, into.size(), {{offset, into}}}, true);
    pool.start(fetch);
    return fetch;
  }
  bool is_content(const Bytes& actual, std::uint64_t offset) const {
    return std::ranges::equal(actual, std::as_bytes(std::span(client.content)).subspan(offset, actual.size()));
  }

  TestClient client;
  const std::shared_ptr<TestObject> object = std::make_shared<TestObject>();
  Bytes bytes = Bytes(1'000'000);
};

TEST_F(RemoteEngine, AFetchContinuesWhereItsReplyBroke) {
  std::vector<std::string> ranges;
  client.handle = [&](const HttpRequest& request, int number) {
    ranges.push_back(request.headers.back().second);
    return client.answer(request, number == 1 ? 100'000 : ~std::size_t{0});
  };
  FetchPool pool(client);
  const auto fetch = start(pool, 7, bytes);
  EXPECT_EQ(fetch->wait(), ReadResult::complete);
  EXPECT_TRUE(is_content(bytes, 7));
  EXPECT_EQ(fetch->crc32c(), crc32c(bytes));
  EXPECT_EQ(ranges, (std::vector<std::string>{"bytes=7-1000006", "bytes=100007-1000006"}));
}

TEST_F(RemoteEngine, AStalledRequestIsOvertakenByAHedge) {
  client.handle = [&](const HttpRequest& request, int number) {
    if (number > 1) return client.answer(request);
    HttpReply reply = client.answer(request, 100'000);
    stall(request);
    return reply;
  };
  FetchPool pool(client);
  const auto fetch = start(pool, 0, bytes);
  EXPECT_EQ(fetch->wait(), ReadResult::complete);
  EXPECT_TRUE(is_content(bytes, 0));
  EXPECT_EQ(fetch->crc32c(), crc32c(bytes));
  EXPECT_EQ(client.requests, 2);
}

// The first request sleeps, so that the only worker is busy when the other fetch begins.
TEST_F(RemoteEngine, AFetchWaitsForAWorkerIfTheSystemStartsNoMore) {
  client.handle = [&](const HttpRequest& request, int number) {
    if (number == 1) std::this_thread::sleep_for(milliseconds(300));
    return client.answer(request);
  };
  FetchPool pool(client);
  const auto first = start(pool, 0, bytes);
  while (client.requests < 1) std::this_thread::sleep_for(milliseconds(1));
  const tests::NoNewThreads none;
  Bytes more(10);
  EXPECT_EQ(start(pool, 7, more)->wait(), ReadResult::complete);
  EXPECT_EQ(first->wait(), ReadResult::complete);
  EXPECT_TRUE(is_content(more, 7));
  EXPECT_TRUE(is_content(bytes, 0));
}

// The first request makes no progress for longer than the limit of a stall, and then breaks.
TEST_F(RemoteEngine, AHedgeWaitsForAWorkerIfTheSystemStartsNoMore) {
  client.handle = [&](const HttpRequest& request, int number) {
    if (number > 1) return client.answer(request);
    HttpReply reply = client.answer(request, 100'000);
    std::this_thread::sleep_for(milliseconds(1500));
    return reply;
  };
  FetchPool pool(client);
  const auto fetch = start(pool, 0, bytes);
  while (client.requests < 1) std::this_thread::sleep_for(milliseconds(1));
  const tests::NoNewThreads none;
  EXPECT_EQ(fetch->wait(), ReadResult::complete);
  EXPECT_TRUE(is_content(bytes, 0));
}

TEST_F(RemoteEngine, WhatWaitsForItsNextTryHoldsUpNobody) {
  client.delay = std::chrono::hours(1);
  client.handle = [&](const HttpRequest& request, int number) {
    return number <= 64 ? HttpReply{.status = 503, .is_complete = true} : client.answer(request);
  };
  FetchPool pool(client);
  for (std::size_t i = 0; i < 64; ++i) start(pool, i, std::span(bytes).subspan(i, 1));
  while (client.requests < 64) std::this_thread::sleep_for(milliseconds(1));
  Bytes last(10);
  EXPECT_EQ(start(pool, 99, last)->wait(), ReadResult::complete);
  EXPECT_TRUE(is_content(last, 99));
}

TEST_F(RemoteEngine, ThePoolEndsFetchesThatStallOrWait) {
  client.delay = std::chrono::hours(1);
  client.handle = [&](const HttpRequest& request, int number) {
    if (number % 2 == 0) stall(request);
    return HttpReply{.failure = "no reply"};
  };
  std::vector<std::shared_ptr<RangeFetch>> fetches;
  {
    FetchPool pool(client);
    for (std::size_t i = 0; i < 200; ++i) fetches.push_back(start(pool, i, std::span(bytes).subspan(i, 1)));
    while (client.requests < 64) std::this_thread::sleep_for(milliseconds(1));
  }
  for (const auto& fetch : fetches) EXPECT_EQ(fetch->wait(), ReadResult::changed);
}

TEST_F(RemoteEngine, ManyReadersGetTheirBytesThroughManyFailures) {
  client.handle = [&](const HttpRequest& request, int number) {
    return client.answer(request, number % 3 == 0 ? static_cast<std::size_t>(number) * 1000 % 90'000 : ~std::size_t{0});
  };
  FetchPool pool(client);
  std::vector<std::jthread> readers;
  for (std::size_t reader = 0; reader < 8; ++reader) {
    readers.emplace_back([&, reader] {
      for (std::size_t i = 0; i < 20; ++i) {
        const std::uint64_t offset = reader * 1'000'000 + i * 1000;
        Bytes into(300'000);
        const Slice slice{offset, into};
        const std::vector<ObjectRange> ranges = ranges_for({&slice, 1});
        EXPECT_EQ(RangeRead(pool, object, ranges).run(), ReadResult::complete);
        EXPECT_TRUE(is_content(into, offset));
      }
    });
  }
}

TEST_F(RemoteEngine, ASequentialReaderReadsAllWithAndWithoutBudget) {
  for (const std::uint64_t budget_bytes : {std::uint64_t{0}, std::uint64_t{64} << 20}) {
    FetchPool pool(client);
    MemoryBudget budget(budget_bytes, range_bytes_max);
    SequentialReader reader(pool, budget, object, client.content.size());
    Bytes all(client.content.size());
    std::span<std::byte> rest = all;
    for (std::size_t size = 1; !rest.empty(); size = size * 3 % 700'001) {
      const auto piece = rest.first(std::min(size, rest.size()));
      ASSERT_EQ(reader.read(piece), ReadResult::complete);
      rest = rest.subspan(piece.size());
    }
    EXPECT_TRUE(is_content(all, 0));
    Bytes more(1);
    EXPECT_EQ(reader.read(more), ReadResult::past_end);
  }
}

}  // namespace
}  // namespace carrack::data
