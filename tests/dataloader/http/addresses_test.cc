// Names asked of a resolver that does as the test says.
#include "dataloader/http/addresses.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <semaphore>

#include "tests/support/no_new_threads.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;

const Server named{.host = "a.example.com", .port = "80", .name = "a.example.com"};

TEST(Addresses, AreThoseThatTheResolverTells) {
  AddressLookup found(
      named, [](const Server& server) { return addresses_of({.host = "127.0.0.1", .port = server.port, .name = {}}); });
  EXPECT_EQ(std::get<std::vector<Address>>(found.addresses(std::chrono::minutes(1), nullptr)).size(), 1u);
  AddressLookup none(named, [](const Server& server) { return "nobody knows " + server.host; });
  EXPECT_EQ(std::get<std::string>(none.addresses(std::chrono::minutes(1), nullptr)), "nobody knows a.example.com");
}

TEST(Addresses, ThatAreWrittenAreNotAskedFor) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    AddressLookup lookup({.host = host, .port = "80", .name = host}, [](const Server&) { return "was asked"; });
    EXPECT_EQ(lookup.addresses(milliseconds(0), nullptr).index(), 0u) << host;
  }
}

TEST(Addresses, AreAskedForOnceByAllWhoWaitForThem) {
  std::atomic<int> asked = 0;
  AddressLookup* asking = nullptr;
  Addresses beside;
  AddressLookup lookup(named, [&](const Server&) {
    if (++asked > 1) return "asked again";
    Stop stop;
    stop.stop();
    beside = asking->addresses(std::chrono::hours(1), &stop);
    return "the answer";
  });
  asking = &lookup;
  EXPECT_EQ(std::get<std::string>(lookup.addresses(std::chrono::minutes(1), nullptr)), "the answer");
  EXPECT_EQ(std::get<std::string>(beside), "was stopped");
  EXPECT_EQ(asked, 1);
}

// A resolver may be mended while one question to it hangs for ever.
TEST(Addresses, AreAskedForAgainWhereTheFirstQuestionHangs) {
  std::promise<void> over;
  std::counting_semaphore<> asked(0);
  AddressLookup lookup(named, [&, until = over.get_future().share()](const Server&) -> Addresses {
    asked.release();
    until.wait();
    return "too late";
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(std::get<std::string>(lookup.addresses(milliseconds(1), nullptr)),
              "cannot find a.example.com: no answer for 1 ms");
    EXPECT_TRUE(asked.try_acquire_for(std::chrono::minutes(1)));
  }
  over.set_value();
}

TEST(Addresses, AreLookedUpAgainAfterTheSystemStartedNoThread) {
  AddressLookup lookup(named, [](const Server&) { return "the answer"; });
  {
    const tests::NoNewThreads none;
    EXPECT_EQ(std::get<std::string>(lookup.addresses(std::chrono::minutes(1), nullptr)),
              "cannot find a.example.com: cannot start a thread: Resource temporarily unavailable");
  }
  EXPECT_EQ(std::get<std::string>(lookup.addresses(std::chrono::minutes(1), nullptr)), "the answer");
}

}  // namespace
}  // namespace carrack::data
