#include "tests/support/gcs/fault_proxy.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "tests/support/gcs/faults_json.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::tests {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Rule always(Fault fault) {
  return {"", "", Always{}, fault};
}

Clock::duration duration_of(const std::function<void()>& action) {
  const Clock::time_point start = Clock::now();
  action();
  return Clock::now() - start;
}

// The machine may be busy, so only the best of a few can be held to an upper bound.
Clock::duration best_duration_of(const std::function<void()>& action) {
  Clock::duration best = Clock::duration::max();
  for (int i = 0; i < 5; ++i) best = std::min(best, duration_of(action));
  return best;
}

using FaultProxyTest = ObjectStoreTest;

TEST_F(FaultProxyTest, PassesOnWhatIsAskedWhenNoFaultIsSet) {
  ASSERT_EQ(write("a%2Fb", "hello")->status, 200);
  EXPECT_EQ(read("a%2Fb")->body, "hello");
  const auto range = client().Get("/storage/v1/b/bucket/o/a%2Fb?alt=media", {{"Range", "bytes=1-2"}});
  EXPECT_EQ(range->status, 206);
  EXPECT_EQ(range->body, "el");
  EXPECT_EQ(range->get_header_value("Content-Range"), "bytes 1-2/5");
  EXPECT_EQ(range->get_header_value("x-goog-hash"), "crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg==");
  EXPECT_EQ(range->get_header_value("x-goog-metageneration"), "1");
  const auto list = client().Get("/storage/v1/b/bucket/o?prefix=a");
  EXPECT_EQ(nlohmann::json::parse(list->body)["items"].size(), 1U);
  EXPECT_EQ(list->body.find(store->url()), std::string::npos) << "no link leads around the proxy";
  EXPECT_EQ(read("missing")->status, 404);
}

TEST_F(FaultProxyTest, CountsRequestsAndBytesSinceTheFaultsWereSet) {
  write("a", std::string(1000, 'x'));
  proxy->set({});
  write("a", std::string(300, 'x'));
  const std::uint64_t reply_of_write = proxy->counters().bytes_sent;
  read("a");
  read("a");
  const Counters counters = proxy->counters();
  EXPECT_EQ(counters.requests, 3U);
  EXPECT_EQ(counters.methods, (std::map<std::string, std::uint64_t>{{"GET", 2}, {"POST", 1}}));
  EXPECT_EQ(counters.bytes_received, 300U);
  EXPECT_EQ(counters.bytes_sent - reply_of_write, 600U);
  EXPECT_TRUE(counters.faults.empty());
}

TEST_F(FaultProxyTest, KeepsAConnectionOpenForManyRequests) {
  write("a", std::string(100'000, 'x'));
  httplib::Client kept(proxy->url());
  kept.set_keep_alive(true);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(kept.Get("/storage/v1/b/bucket/o/a?alt=media")->body.size(), 100'000U);
  const auto head = kept.Head("/bucket/a");
  EXPECT_EQ(head->get_header_value("Content-Length"), "100000");
  EXPECT_EQ(kept.Get("/storage/v1/b/bucket/o/a?alt=media")->body.size(), 100'000U);
}

TEST_F(FaultProxyTest, DelaysTheFirstByte) {
  write("a", "x");
  EXPECT_LT(best_duration_of([&] { read("a"); }), milliseconds(80));
  proxy->set({0, {always(Slow{milliseconds(80), {}})}});
  for (int i = 0; i < 3; ++i) EXPECT_GE(duration_of([&] { ASSERT_EQ(read("a")->body, "x"); }), milliseconds(80));
  EXPECT_EQ(proxy->counters().faults["slow"], 3U);
}

TEST_F(FaultProxyTest, LimitsTheRateOfEachStreamByItself) {
  const std::string content(200'000, 'x');
  write("a", content);
  const auto eight_at_once = [&] {
    std::vector<std::jthread> streams;
    for (int i = 0; i < 8; ++i) streams.emplace_back([&] { ASSERT_EQ(read("a")->body.size(), content.size()); });
  };
  EXPECT_LT(best_duration_of(eight_at_once), milliseconds(200));
  proxy->set({0, {always(Slow{milliseconds(0), 1'000'000})}});
  const Clock::duration best = best_duration_of(eight_at_once);
  EXPECT_GE(best, milliseconds(200));
  EXPECT_LT(best, milliseconds(1000)) << "a limit shared by the streams would take 1,600 ms";
  EXPECT_GE(duration_of([&] { ASSERT_EQ(write("b", content)->status, 200); }), milliseconds(200));
}

TEST_F(FaultProxyTest, AnswersTheNthWithAnErrorWithoutCarryingItOut) {
  proxy->set({0, {{"POST", "name=a", Nth{{2}}, Answer{503}}}});
  EXPECT_EQ(write("a", "one")->status, 200);
  const auto refused = write("a", "two");
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(nlohmann::json::parse(refused->body)["error"]["errors"][0]["reason"], "backendError");
  EXPECT_EQ(read("a")->body, "one");
  EXPECT_EQ(write("a", "three")->status, 200);
  EXPECT_EQ(read("a")->body, "three");
  EXPECT_EQ(proxy->counters().faults, (std::map<std::string, std::uint64_t>{{"answer.503", 1}}));
}

TEST_F(FaultProxyTest, MayCarryOutWhatItAnswersWithAnError) {
  proxy->set({0, {{"POST", "", Nth{{1}}, Answer{503, true}}}});
  EXPECT_EQ(write("a", "one")->status, 503);
  EXPECT_EQ(read("a")->body, "one");
}

TEST_F(FaultProxyTest, AnswersAShareWithAnErrorAsTheSeedSays) {
  write("a", "x");
  const Share share{0.3};
  proxy->set({5, {{"GET", "", share, Answer{429}}}});
  int refused = 0;
  for (std::uint64_t n = 1; n <= 60; ++n) {
    const int expected = plays(share, 5, 0, n) ? 429 : 200;
    ASSERT_EQ(read("a")->status, expected) << n;
    refused += expected == 429 ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(proxy->counters().faults["answer.429"], static_cast<std::uint64_t>(refused));
}

TEST_F(FaultProxyTest, StallsInTheMiddleOfABody) {
  write("a", "0123456789");
  proxy->set({0, {always(Stall{4, milliseconds(150)})}});
  std::string before;
  std::string all;
  const Clock::time_point start = Clock::now();
  const auto result = client().Get("/storage/v1/b/bucket/o/a?alt=media", [&](const char* data, std::size_t size) {
    all.append(data, size);
    if (Clock::now() - start < milliseconds(150)) before = all;
    return true;
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(before, "0123");
  EXPECT_EQ(all, "0123456789");
  EXPECT_EQ(proxy->counters().faults["stall"], 1U);
}

TEST_F(FaultProxyTest, AClientsTimeoutEndsItsWaitForAStalledStream) {
  write("a", "0123456789");
  proxy->set({0, {{"", "", Nth{{1}}, Stall{4, std::chrono::hours(1)}}}});
  httplib::Client impatient(proxy->url());
  impatient.set_read_timeout(milliseconds(100));
  EXPECT_EQ(impatient.Get("/storage/v1/b/bucket/o/a?alt=media").error(), httplib::Error::Read);
  impatient.set_read_timeout(std::chrono::seconds(30));  // what is not stalled may be slow on a busy machine
  const auto whole = impatient.Get("/storage/v1/b/bucket/o/a?alt=media");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body, "0123456789");
}

TEST_F(FaultProxyTest, CutsABodyShort) {
  const std::string content(100'000, 'x');
  write("a", content);
  proxy->set({0, {{"GET", "", Nth{{1}}, Cut{70'000}}}});
  httplib::Client kept(proxy->url());
  kept.set_keep_alive(true);
  kept.set_read_timeout(std::chrono::seconds(30));
  std::string got;
  const auto append = [&](const char* data, std::size_t size) {
    got.append(data, size);
    return true;
  };
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(kept.Get("/storage/v1/b/bucket/o/a?alt=media", append).error(), httplib::Error::Read);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20)) << "the connection closes; the client need not time out";
  EXPECT_EQ(got.size(), 70'000U);
  EXPECT_EQ(kept.Get("/storage/v1/b/bucket/o/a?alt=media")->body, content);
  EXPECT_EQ(proxy->counters().faults["cut"], 1U);
}

TEST_F(FaultProxyTest, DoesNotCutABodyThatEndsBefore) {
  write("a", "short");
  proxy->set({0, {always(Cut{70'000})}});
  EXPECT_EQ(read("a")->body, "short");
  EXPECT_TRUE(proxy->counters().faults.empty());
}

TEST_F(FaultProxyTest, LosesARequestBeforeItIsCarriedOut) {
  proxy->set({0, {{"POST", "", Nth{{1}}, LoseRequest{}}}});
  EXPECT_EQ(write("a", "one").error(), httplib::Error::Read);
  EXPECT_EQ(read("a")->status, 404);
  EXPECT_EQ(proxy->counters().faults["lose_request"], 1U);
}

TEST_F(FaultProxyTest, LosesTheReplyToARequestThatWasCarriedOut) {
  proxy->set({0, {{"POST", "", Nth{{1}}, LoseReply{}}}});
  EXPECT_EQ(write("a", "one", "&ifGenerationMatch=0").error(), httplib::Error::Read);
  EXPECT_EQ(read("a")->body, "one");
  EXPECT_EQ(write("a", "one", "&ifGenerationMatch=0")->status, 412) << "the retry meets the writer's own object";
  EXPECT_EQ(proxy->counters().faults["lose_reply"], 1U);
}

TEST_F(FaultProxyTest, HitsOnlyTheMethodAndTargetOfTheRule) {
  write("data%2Fx", "x");
  write("index", "x");
  proxy->set({0, {{"GET", "data/", Always{}, Answer{503}}}});
  EXPECT_EQ(read("data%2Fx")->status, 503) << "targets are compared decoded";
  EXPECT_EQ(read("index")->status, 200);
  EXPECT_EQ(write("data%2Fx", "y")->status, 200);
}

TEST_F(FaultProxyTest, IsSetAndReadThroughItsEndpoint) {
  const auto set = client().Put("/_faults", R"({"seed": 3, "rules": [{"answer": {"status": 503}, "nth": [1]}]})", "");
  ASSERT_EQ(set->status, 200);
  EXPECT_EQ(proxy->faults(), (Faults{3, {{"", "", Nth{{1}}, Answer{503}}}}));
  EXPECT_EQ(read("a")->status, 503);
  const auto state = nlohmann::json::parse(client().Get("/_faults")->body);
  EXPECT_EQ(faults_from({{"seed", state["seed"]}, {"rules", state["rules"]}}), proxy->faults());
  EXPECT_EQ(state["counters"], to_json(proxy->counters()));
  EXPECT_EQ(state["counters"]["requests"], 1) << "the endpoint's own requests do not count";
  const auto mistake = client().Put("/_faults", R"({"rules": [{"answr": {}}]})", "");
  EXPECT_EQ(mistake->status, 400);
  EXPECT_NE(mistake->body.find("rules[0].answr: no such field"), std::string::npos);
  EXPECT_EQ(proxy->faults().seed, 3U) << "a mistake changes nothing";
}

TEST_F(FaultProxyTest, LetsInWhoBearsTheTokenThatIsAskedFor) {
  write("a", "hello");
  proxy->set({0, {}, "right"});
  const auto status_with = [&](const httplib::Headers& headers) { return client().Get("/bucket/a", headers)->status; };
  EXPECT_EQ(status_with({}), 401);
  EXPECT_EQ(status_with({{"Authorization", "Bearer wrong"}}), 401);
  EXPECT_EQ(status_with({{"Authorization", "Bearer right"}}), 200);
  EXPECT_EQ(proxy->counters().faults, (std::map<std::string, std::uint64_t>{{"bearer", 2}}));
}

TEST_F(FaultProxyTest, SaysThatTheServerIsGone) {
  ASSERT_EQ(write("a", "x")->status, 200);
  store.reset();
  EXPECT_EQ(read("a")->status, 502);
}

TEST_F(FaultProxyTest, EndsSoonThoughStreamsAreStalled) {
  write("a", "0123456789");
  proxy->set({0, {always(Stall{4, std::chrono::hours(1)})}});
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 4; ++i) waiting.emplace_back([url = proxy->url()] { httplib::Client(url).Get("/bucket/a"); });
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);
  while (proxy->counters().faults["stall"] < 4 && Clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(proxy->counters().faults["stall"], 4U);
  httplib::Client idle(proxy->url());
  idle.set_keep_alive(true);
  idle.Get("/_faults");
  EXPECT_LT(duration_of([&] { proxy.reset(); }), std::chrono::seconds(2));
}

}  // namespace
}  // namespace carrack::tests
