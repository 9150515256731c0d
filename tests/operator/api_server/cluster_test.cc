// The client and a real API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "operator/api_server/client.h"
#include "operator/error.h"
#include "tests/operator/api_server/environment.h"

namespace carrack::control {
namespace {

using nlohmann::json;
using Outcome = std::tuple<int, std::string, std::string>;
using testing::HasSubstr;
using testing::StartsWith;

const SystemClock clock_of_this_machine;

// A connection of its own, as this Access says.
struct Connected {
  explicit Connected(Access access) : credentials(std::move(access), environment(), clock_of_this_machine) {}
  Credentials credentials;
  Client client{credentials};
};

Outcome outcome(const ApiReply& reply) {
  const ApiStatus status = status_of(reply);
  return {reply.status, status.reason, status.message};
}

class RealServer : public testing::Test {
 protected:
  void SetUp() override {
    const json wanted = {{"metadata", {{"generateName", "client-"}}}};
    const ApiReply made = admin.client.call({"POST", "/api/v1/namespaces", {}, wanted.dump()});
    ASSERT_EQ(made.status, 201) << made.body;
    space = json::parse(made.body).at("metadata").at("name");
  }
  void TearDown() override { EXPECT_EQ(admin.client.call({"DELETE", "/api/v1/namespaces/" + space}).status, 200); }

  std::string config_maps() const { return "/api/v1/namespaces/" + space + "/configmaps"; }
  ApiReply create(const std::string& name, const std::string& content = "content") {
    const json made = {{"metadata", {{"name", name}}}, {"data", {{"file", content}}}};
    return admin.client.call({"POST", config_maps(), {}, made.dump()});
  }

  Connected admin{find_access(environment())};
  std::string space;
};

TEST_F(RealServer, SaysItsVersion) {
  const ApiReply reply = admin.client.call({"GET", "/version"});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(json::parse(reply.body).at("major"), "1");
}

TEST_F(RealServer, KeepsWhatIsCreatedUntilItIsDeleted) {
  EXPECT_EQ(create("one").status, 201);
  const ApiReply read = admin.client.call({"GET", config_maps() + "/one"});
  EXPECT_EQ(json::parse(read.body).at("data").at("file"), "content");
  const ApiReply list = admin.client.call({"GET", config_maps(), {{"fieldSelector", "metadata.name=one"}}});
  EXPECT_EQ(json::parse(list.body).at("items").size(), 1);
  EXPECT_EQ(admin.client.call({"DELETE", config_maps() + "/one"}).status, 200);
  EXPECT_EQ(admin.client.call({"GET", config_maps() + "/one"}).status, 404);
}

TEST_F(RealServer, SaysWhyItRefuses) {
  EXPECT_EQ(outcome(admin.client.call({"GET", config_maps() + "/absent"})),
            Outcome(404, "NotFound", "configmaps \"absent\" not found"));
  create("twice");
  EXPECT_EQ(outcome(create("twice")), Outcome(409, "AlreadyExists", "configmaps \"twice\" already exists"));
  const auto [code, reason, message] = outcome(create("No Name"));
  EXPECT_EQ(code, 422);
  EXPECT_EQ(reason, "Invalid");
  EXPECT_THAT(message, StartsWith("ConfigMap \"No Name\" is invalid: metadata.name: "));
}

TEST_F(RealServer, RefusesAnOldVersion) {
  create("shared");
  json shared = json::parse(admin.client.call({"GET", config_maps() + "/shared"}).body);
  EXPECT_EQ(admin.client.call({"PUT", config_maps() + "/shared", {}, shared.dump()}).status, 200);
  shared["data"]["file"] = "other";
  EXPECT_EQ(admin.client.call({"PUT", config_maps() + "/shared", {}, shared.dump()}).status, 200);
  const Outcome late = outcome(admin.client.call({"PUT", config_maps() + "/shared", {}, shared.dump()}));
  EXPECT_EQ(std::get<0>(late), 409);
  EXPECT_EQ(std::get<1>(late), "Conflict");
}

TEST_F(RealServer, ShowsToWhoWatchesWhatHappens) {
  Connected watcher(find_access(environment()));
  std::vector<std::string> seen;
  const ApiRequest watch{"GET", config_maps(), {{"watch", "1"}, {"allowWatchBookmarks", "true"}}};
  const auto on_line = [&](std::string_view line) {
    const json event = json::parse(line);
    if (event.at("type") == "BOOKMARK") return true;
    if (event.at("object").at("metadata").at("name") != "seen") return true;  // every namespace has one of Kubernetes
    seen.push_back(event.at("type"));
    if (seen.size() == 1) admin.client.call({"DELETE", config_maps() + "/seen"});
    return seen.size() < 2;
  };
  create("seen");
  EXPECT_EQ(watcher.client.stream(watch, on_line, {}).status, 200);
  EXPECT_EQ(seen, (std::vector<std::string>{"ADDED", "DELETED"}));
  EXPECT_EQ(watcher.client.call({"GET", "/version"}).status, 200) << "what was a stream takes requests again";
}

TEST_F(RealServer, LetsAStreamBeStoppedThatSaysNothing) {
  const ApiRequest watch{"GET", config_maps(), {{"watch", "1"}, {"fieldSelector", "metadata.name=absent"}}};
  std::promise<int> ended;
  std::future<int> status = ended.get_future();
  std::jthread watching([&](const std::stop_token& stop) {
    Connected watcher(find_access(environment()));
    ended.set_value(watcher.client
                        .stream(
                            watch, [](auto) { return true; }, stop)
                        .status);
  });
  EXPECT_EQ(status.wait_for(std::chrono::milliseconds(500)), std::future_status::timeout);
  watching.request_stop();
  EXPECT_EQ(status.wait_for(std::chrono::seconds(1)), std::future_status::ready);
  EXPECT_EQ(status.get(), 200);
}

TEST_F(RealServer, KnowsUsByATokenToo) {
  const std::string account = "/api/v1/namespaces/" + space + "/serviceaccounts/default";
  const auto token = [&]() -> std::string {
    const ApiReply made = admin.client.call({"POST", account + "/token", {}, R"({"spec": {}})"});
    return made.status == 201 ? json::parse(made.body).at("status").at("token") : json("");
  };
  Access access = find_access(environment());
  access.certificate = access.key = SecretSource();
  access.exec.reset();
  for (int tries = 0; access.token.data.empty() && tries < 100; ++tries) {  // a new namespace has no account at first
    access.token = {"token", token(), ""};
    if (access.token.data.empty()) usleep(100'000);
  }
  const ApiReply who = Connected(access).client.call(
      {"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, R"({"spec": {}})"});
  EXPECT_EQ(json::parse(who.body).at("status").at("userInfo").at("username"),
            "system:serviceaccount:" + space + ":default");

  access.token.data = "none of its own";
  const ApiReply stranger = Connected(access).client.call({"GET", config_maps()});
  EXPECT_EQ(outcome(stranger), Outcome(401, "Unauthorized", "Unauthorized"));
}

TEST_F(RealServer, IsNotTrustedOnTheWordOfOthers) {
  Access access = find_access(environment());
  access.authority = SecretSource();  // only those of the machine
  try {
    Connected(access).client.call({"GET", "/version"});
    FAIL() << "was trusted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("GET /version: its certificate is not trusted: "));
  }
}

// How long lists take that come in small pieces; it prints its figure.
TEST_F(RealServer, ListsMegabytes) {
  for (int number = 0; number < 20; ++number) {
    ASSERT_EQ(create("large-" + std::to_string(number), std::string(500'000, 'x')).status, 201);
  }
  const auto began = std::chrono::steady_clock::now();
  const ApiReply list = admin.client.call({"GET", config_maps()});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_GT(list.body.size(), 10'000'000);
  std::printf("a list of %.1f MB took %.0f ms\n", static_cast<double>(list.body.size()) / 1e6, took.count() * 1e3);
}

}  // namespace
}  // namespace carrack::control
