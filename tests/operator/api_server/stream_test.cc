// Streams from a server that breaks in every way, and streams that are stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/operator/api_server/connected.h"

namespace carrack::control {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::SizeIs;

TEST(ClientStream, HandsOnEachLineUntilTheServerEndsIt) {
  ScriptedServer server(answers(
      {chunked_head + chunk("on") + chunk("e\ntwo\n\nfo") + chunk("ur\n") + last_chunk, reply_text(200, "after")}));
  Connected us(server);
  std::vector<std::string> lines;
  const ApiReply reply = us.client.stream(get,
                                          [&](std::string_view line) {
                                            lines.emplace_back(line);
                                            return true;
                                          },
                                          {});
  EXPECT_EQ(reply, (ApiReply{200, "", {}}));
  EXPECT_THAT(lines, ElementsAre("one", "two", "", "four"));
  EXPECT_EQ(us.client.call(get).body, "after") << "the connection is kept";
}

TEST(ClientStream, ReturnsARefusalAsACallDoes) {
  ScriptedServer server(answers({reply_text(410, "too\nold\n")}));
  int lines = 0;
  EXPECT_EQ(Connected(server).client.stream(get, [&](auto) { return ++lines > 0; }, {}),
            (ApiReply{410, "too\nold\n", {}}));
  EXPECT_EQ(lines, 0);
}

TEST(ClientStream, SaysThatItWasCut) {
  ScriptedServer cut(answers({chunked_head + chunk("one\n")}));
  EXPECT_EQ(Connected(cut).stream_error(), at(cut, "GET /things: it closed the connection in the middle of its reply"));
  ScriptedServer half(answers({chunked_head + chunk("one\ntw") + last_chunk}));
  EXPECT_EQ(Connected(half).stream_error(), at(half, "GET /things: the stream ended in the middle of a line"));
}

TEST(ClientStream, EndsWhereTheServerFallsSilent) {
  const auto ends = [](const std::string& said) {
    ScriptedServer server([said](ScriptedServer& self, tests::Connection& connection, int) {
      self.take(connection);
      connection.write(said);
      self.be_silent(connection);
    });
    const std::string error = Connected(server, not_for_silence).stream_error();
    return error == at(server, "GET /things: it sent nothing for 0.3 s") ? "silent" : error;
  };
  EXPECT_EQ(ends(chunked_head), "ended");
  EXPECT_EQ(ends(chunked_head + chunk("one\n")), "ended");
  EXPECT_EQ(ends(chunked_head + chunk("one\ntw")), "silent") << "in the middle of a line";
  EXPECT_EQ(ends(""), "silent") << "before the head";
}

TEST(ClientStream, BoundsALine) {
  ScriptedServer server(answers({chunked_head + chunk(std::string(line_bytes_max + 1, 'x'))}));
  EXPECT_EQ(Connected(server).stream_error(), at(server, "GET /things: a line has more than 3145728 bytes"));
}

TEST(ClientStream, EndsWhenNoMoreIsWantedAndTakesTheNextRequest) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int number) {
    self.take(connection);
    if (number == 3) connection.write(reply_text(200, "third"));
    connection.write(chunked_head + chunk("one\ntwo\n"));
    self.be_silent(connection);
  });
  Connected us(server);
  int lines = 0;
  EXPECT_EQ(us.client.stream(get, [&](auto) { return ++lines < 1; }, {}).status, 200);
  EXPECT_EQ(lines, 1);
  EXPECT_THROW(us.client.stream(get, [](auto) -> bool { throw std::runtime_error("of the caller"); }, {}),
               std::runtime_error);
  EXPECT_EQ(us.client.call(get).body, "third");
}

// A stream on a thread of its own, stopped after it had time to begin.
milliseconds time_to_stop(const Access& access) {
  std::promise<void> ended;
  std::jthread streaming([&](const std::stop_token& stop) {
    Connected(access).client.stream(
        get, [](auto) { return true; }, stop);
    ended.set_value();
  });
  std::this_thread::sleep_for(milliseconds(100));
  const auto asked = std::chrono::steady_clock::now();
  streaming.request_stop();
  ended.get_future().wait();
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - asked);
}

TEST(ClientStream, StopsAtOnceWhateverItWaitsFor) {
  ScriptedServer silent(
      [](ScriptedServer&, tests::Connection& connection, int) { ScriptedServer::be_silent(connection); });
  EXPECT_LT(time_to_stop(silent.access()), milliseconds(1000)) << "before the head";
  EXPECT_LT(time_to_stop(silent.access("https://")), milliseconds(1000)) << "before TLS";
  ScriptedServer quiet([](ScriptedServer& self, tests::Connection& connection, int) {
    self.take(connection);
    connection.write(chunked_head);
    self.be_silent(connection);
  });
  EXPECT_LT(time_to_stop(quiet.access()), milliseconds(1000)) << "before a line";
  Access nobody;
  set_server(nobody, "http://203.0.113.1");  // an address of documentation, where nobody answers
  EXPECT_LT(time_to_stop(nobody), milliseconds(1000)) << "before the connection";
}

TEST(ClientStream, DoesNotBeginWhereItIsStoppedBefore) {
  ScriptedServer server(answer_all);
  std::jthread stopped([](const std::stop_token&) {});
  stopped.request_stop();
  EXPECT_EQ(Connected(server).client.stream(
                get, [](auto) { return true; }, stopped.get_stop_token()),
            ApiReply{});
  EXPECT_THAT(server.requests(), SizeIs(0));
}

// Between the two there must be no moment at which a stop is missed.
TEST(ClientStream, StopsWheneverTheStopComes) {
  ScriptedServer silent(
      [](ScriptedServer&, tests::Connection& connection, int) { ScriptedServer::be_silent(connection); });
  for (int round = 0; round < 200; ++round) {
    std::jthread streaming([&](const std::stop_token& stop) {
      Connected(silent).client.stream(
          get, [](auto) { return true; }, stop);
    });
    std::this_thread::sleep_for(std::chrono::microseconds(round * 5));
  }
}

}  // namespace
}  // namespace carrack::control
