// The log of a pod, over connections that break.
#include "operator/kube/pod_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/api_server/connected.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string first = "2026-01-31T10:00:00.000000001Z ", second = "2026-01-31T10:00:00.000000002Z ",
                  third = "2026-01-31T10:00:01.000000000Z ";

struct Reader {
  explicit Reader(const ScriptedServer& server)
      : credentials(server.access(), {}, any_clock), log(credentials, {"team", "line-a-worker-0-0-1"}) {}

  std::string read(bool follow, std::optional<int> tail = {}) {
    return log.read(follow, tail, [this](std::string_view line) { lines.emplace_back(line); }, {});
  }

  Credentials credentials;
  PodLog log;
  std::vector<std::string> lines;
};

TEST(PodLog, IsRequestedWithTimesAndGivenWithout) {
  ScriptedServer server(answers({reply_text(200, first + "one\n" + second + "\n" + third + "two words\n")}));
  Reader reader(server);
  EXPECT_EQ(reader.read(false, 5), "");
  EXPECT_THAT(reader.lines, ElementsAre("one", "", "two words"));
  EXPECT_THAT(server.requests().front(),
              testing::StartsWith("GET /api/v1/namespaces/team/pods/line-a-worker-0-0-1/log?container=trainer&"
                                  "timestamps=true&tailLines=5 HTTP/1.1\r\n"));
}

TEST(PodLog, GoesOnAfterABrokenConnectionWithoutGapOrRepetition) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int number) {
    self.take(connection);
    // The server sends all of a second again.
    connection.write(chunked_head + (number == 1 ? chunk(first + "one\n" + second + "two\n")
                                                 : chunk(first + "one\n" + second + "two\n" + third + "three\n")));
    if (number > 1) connection.write(last_chunk);
  });
  Reader reader(server);
  EXPECT_THAT(reader.read(true, 5), HasSubstr("it closed the connection in the middle of its reply"));
  EXPECT_EQ(reader.read(true, 5), "");
  EXPECT_THAT(reader.lines, ElementsAre("one", "two", "three"));
  EXPECT_THAT(server.requests().back(), HasSubstr("follow=true&sinceTime=2026-01-31T10%3A00%3A00.000000002Z "));
}

TEST(PodLog, HasLinesThatWereWrittenAtTheSameTime) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int number) {
    self.take(connection);
    const std::string both = first + "one\n" + first + "two\n";
    connection.write(chunked_head + chunk(number == 1 ? both : both + first + "three\n" + second + "four\n"));
    if (number > 1) connection.write(last_chunk);
  });
  Reader reader(server);
  EXPECT_NE(reader.read(true), "");
  EXPECT_THAT(reader.lines, ElementsAre("one", "two"));
  EXPECT_EQ(reader.read(true), "");
  EXPECT_THAT(reader.lines, ElementsAre("one", "two", "three", "four"));
}

TEST(PodLog, SaysWhyItCannotBeRead) {
  ScriptedServer server(answers({reply_text(
      403, R"({"kind":"Status","reason":"Forbidden","message":"pods \"a\" is forbidden: cannot get pods/log"})")}));
  Reader reader(server);
  EXPECT_EQ(reader.read(false), "pods \"a\" is forbidden: cannot get pods/log");
}

}  // namespace
}  // namespace carrack::control
