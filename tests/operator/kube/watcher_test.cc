// Lists in pages and watches that end in every way: nothing is lost, nothing is taken for gone, and what expired is
// listed again.
#include "operator/kube/watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "operator/error.h"
#include "operator/kube/json_path.h"
#include "tests/operator/api_server/connected.h"

namespace carrack::control {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::string page(const std::string& version, const std::vector<std::string>& names, const std::string& continued = "") {
  json list = {{"metadata", {{"resourceVersion", version}, {"continue", continued}}}, {"items", json::array()}};
  for (const std::string& name : names) list["items"].push_back({{"metadata", {{"name", name}}}});
  return reply_text(200, list.dump());
}

std::string event(const std::string& type, const std::string& version, const std::string& name = "") {
  const json object = {{"metadata", {{"resourceVersion", version}, {"name", name}}}};
  return chunk(json{{"type", type}, {"object", object}}.dump() + "\n");
}

const std::string expired = R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})";

// What a watcher says, in order.
class Seeing {
 public:
  explicit Seeing(Connected& us) : watcher_(us.credentials, Kind::process, "team", 1, watch_handlers()) {
    watcher_.list();
  }

  // Runs until it has said so many things.
  std::vector<std::string> until(std::size_t many) {
    std::jthread running([this](const std::stop_token& stop) { watcher_.run(stop); });
    std::unique_lock lock(mutex_);
    said_more_.wait_for(lock, std::chrono::seconds(20), [&] { return said_.size() >= many; });
    return {said_.begin(), said_.begin() + static_cast<std::ptrdiff_t>(std::min(many, said_.size()))};
  }

  std::vector<std::string> within(std::chrono::milliseconds time) {
    {
      std::jthread running([this](const std::stop_token& stop) { watcher_.run(stop); });
      std::this_thread::sleep_for(time);
    }
    return said_;
  }

 private:
  void say(const std::string& what) {
    const std::lock_guard lock(mutex_);
    said_.push_back(what);
    said_more_.notify_all();
  }

  WatchHandlers watch_handlers() {
    const auto name = [](const json& object) { return text_at(object, {"metadata", "name"}); };
    return {.page =
                [this, name](const std::vector<json>& some, bool begins) {
                  if (begins) listed_.clear();
                  for (const json& one : some) listed_ += " " + name(one);
                },
            .listed = [this](Version version) { say("listed at " + std::to_string(version) + ":" + listed_); },
            .changed = [this, name](const json& object) { say("changed " + name(object)); },
            .deleted = [this, name](const json& object) { say("deleted " + name(object)); },
            .bookmark = [this](Version version) { say("bookmark " + std::to_string(version)); },
            .failed = [this](const WatchFailure& failure) { say("failed " + failure.reason); }};
  }

  std::mutex mutex_;
  std::condition_variable said_more_;
  std::vector<std::string> said_;
  std::string listed_;
  Watcher watcher_;
};

std::vector<std::string> targets(const ScriptedServer& server) {
  std::vector<std::string> found;
  for (const std::string& request : server.requests()) {
    const std::size_t begin = request.find("?");
    found.push_back(request.substr(begin + 1, request.find(" HTTP") - begin - 1));
  }
  return found;
}

TEST(Watcher, ListsPageByPage) {
  ScriptedServer server(answers({page("7", {"a", "b"}, "more"), page("7", {"c"})}));
  Connected us(server);
  EXPECT_THAT(Seeing(us).until(1), ElementsAre("listed at 7: a b c"));
  EXPECT_THAT(targets(server)[1], HasSubstr("continue=more"));
}

TEST(Watcher, ListsAllAgainWhereAPageHasExpired) {
  ScriptedServer server(
      answers({page("7", {"a"}, "more"), reply_text(410, expired), page("9", {"a"}, "more"), page("9", {"b"})}));
  Connected us(server);
  EXPECT_THAT(Seeing(us).until(1), ElementsAre("listed at 9: a b"));
}

TEST(Watcher, TakesNullForAListOfNothingAsTheServerWritesIt) {
  ScriptedServer server(answers({reply_text(200, R"({"metadata": {"resourceVersion": "7"}, "items": null})")}));
  Connected us(server);
  EXPECT_THAT(Seeing(us).until(1), ElementsAre("listed at 7:"));
}

TEST(Watcher, TakesNothingForAListThatIsNone) {
  for (const std::string body : {"{}", "[]", R"({"items": []})", R"({"metadata": {"resourceVersion": "7"}})"}) {
    ScriptedServer server(answers({reply_text(200, body)}));
    Connected us(server);
    EXPECT_THROW(Seeing{us}, Error) << body;
  }
}

TEST(Watcher, GoesOnFromTheLastVersionAfterTheServerEndedTheWatch) {
  ScriptedServer server(answers({page("7", {"a"}), chunked_head + event("ADDED", "8", "b") + last_chunk,
                                 chunked_head + event("BOOKMARK", "12") + event("DELETED", "13", "a") + last_chunk}));
  Connected us(server);
  EXPECT_THAT(Seeing(us).until(4), ElementsAre("listed at 7: a", "changed b", "bookmark 12", "deleted a"));
  EXPECT_THAT(targets(server)[1], HasSubstr("resourceVersion=7&"));
  EXPECT_THAT(targets(server)[2], HasSubstr("resourceVersion=8&"));
}

TEST(Watcher, ListsAgainWhatTheServerNoLongerKnows) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int number) {
    const bool first = number == 1;
    if (!self.take(connection)) return;
    connection.write(first ? page("7", {"a"}) : page("20", {"b"}));
    if (!self.take(connection)) return;
    const std::string too_old = chunk(R"({"type":"ERROR","object":)" + expired + "}\n");
    connection.write(chunked_head + (first ? too_old : event("ADDED", "21", "c")) + last_chunk);
  });
  Connected us(server);
  EXPECT_THAT(Seeing(us).until(4), ElementsAre("listed at 7: a", "failed Expired", "listed at 20: b", "changed c"));
}

TEST(Watcher, TellsThatTheServerWasGivenAnOlderState) {
  ScriptedServer listed([](ScriptedServer& self, tests::Connection& connection, int number) {
    if (!self.take(connection)) return;
    connection.write(number == 1 ? page("7", {"a"}) : page("5", {"b"}));
    if (!self.take(connection)) return;
    connection.write(chunked_head + chunk(R"({"type":"ERROR","object":)" + expired + "}\n") + last_chunk);
  });
  Connected us(listed);
  EXPECT_THAT(Seeing(us).until(4),
              ElementsAre("listed at 7: a", "failed Expired", "failed Restored", "listed at 5: b"));
  // As a server does that has not come to that version yet.
  ScriptedServer watched(answers({page("7", {"a"}), chunked_head + last_chunk, page("5", {"b"})}));
  Connected again(watched);
  EXPECT_THAT(Seeing(again).until(2), ElementsAre("listed at 7: a", "failed Restored"));
  EXPECT_THAT(targets(watched)[2], HasSubstr("limit=1"));
}

TEST(Watcher, DoesNotAskWithoutRestWhereEveryWatchEndsAtOnce) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    while (const auto request = self.take(connection)) {
      connection.write(request->find("watch=true") == request->npos ? page("7", {}) : chunked_head + last_chunk);
    }
  });
  Connected us(server);
  Seeing seeing(us);
  EXPECT_THAT(seeing.within(std::chrono::milliseconds(1'200)), ElementsAre("listed at 7:"));
  const auto asked = targets(server);
  EXPECT_LE(std::ranges::count_if(asked, [](const auto& one) { return one.starts_with("watch=true"); }), 4);
}

TEST(Watcher, DoesNotAskWithoutRestWhereEveryWatchEndsAfterOneLine) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    for (int version = 8; const auto request = self.take(connection); ++version) {
      const bool watches = request->find("watch=true") != request->npos;
      connection.write(watches ? chunked_head + event("MODIFIED", std::to_string(version), "a") + last_chunk
                               : page("7", {"a"}));
    }
  });
  Connected us(server);
  Seeing seeing(us);
  seeing.within(std::chrono::milliseconds(1'200));
  const auto asked = targets(server);
  EXPECT_LE(std::ranges::count_if(asked, [](const auto& one) { return one.starts_with("watch=true"); }), 6);
}

TEST(Watcher, KnowsHowLongItHasHeardNothing) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    while (const auto request = self.take(connection)) {
      if (request->find("watch=true") == request->npos) {
        connection.write(page("7", {"a"}));
        continue;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      connection.write(chunked_head + event("BOOKMARK", "8"));
      return ScriptedServer::be_silent(connection);
    }
  });
  Connected us(server);
  const WatchHandlers none{[](const auto&, bool) {}, [](Version) {}, [](const json&) {},
                           [](const json&) {},       [](Version) {}, [](const WatchFailure&) {}};
  Watcher watcher(us.credentials, Kind::process, "team", 1, none);
  watcher.list();
  EXPECT_LT(watcher.silent_for(), std::chrono::milliseconds(300));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_GE(watcher.silent_for(), std::chrono::milliseconds(400));
  std::jthread running([&](const std::stop_token& stop) { watcher.run(stop); });
  bool heard = false;
  for (int tries = 0; tries < 1'000 && !heard; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    heard = watcher.silent_for() < std::chrono::milliseconds(300);
  }
  EXPECT_TRUE(heard);
}

TEST(Watcher, TellsOfAWatchThatIsRefused) {
  ScriptedServer server(answers({page("7", {}), reply_text(403, R"({"kind": "Status", "message": "no"})"),
                                 chunked_head + event("ADDED", "8", "a") + last_chunk}));
  Connected us(server);
  EXPECT_THAT(Seeing(us).until(3), ElementsAre("listed at 7:", "failed Error", "changed a"));
}

// The second connection is cut in the middle; what came before is not asked for again, and a cut is no reason to wait
// longer and longer.
TEST(Watcher, GoesOnAtOnceAfterAStreamThatBroughtSomethingWasCut) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int number) {
    if (!self.take(connection)) return;
    if (number == 1) {
      connection.write(page("7", {}));
      if (!self.take(connection)) return;
    }
    const std::string version = std::to_string(7 + number);
    connection.write(chunked_head + event("ADDED", version, version));
  });
  Connected us(server);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Seeing(us).until(20).size(), 20U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15)) << "ten cuts";
}

}  // namespace
}  // namespace carrack::control
