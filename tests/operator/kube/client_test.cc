// The client against a server that breaks in every way.
#include "operator/kube/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "operator/error.h"
#include "tests/operator/kube/scripted_server.h"

namespace carrack::control {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const SystemClock any_clock;
constexpr Patience not_for_silence{milliseconds(10'000), milliseconds(300)};
constexpr Patience not_for_long{milliseconds(10'000), milliseconds(10'000), milliseconds(600)};
const ApiRequest get{"GET", "/things"};
const ApiRequest post{"POST", "/things", {}, "{}"};

struct Connected {
  explicit Connected(Access access, Patience patience = {})
      : credentials(std::move(access), {}, any_clock), client(credentials, patience) {}
  explicit Connected(const ScriptedServer& server, Patience patience = {}) : Connected(server.access(), patience) {}

  std::string error_of(const ApiRequest& request) {
    try {
      const ApiReply reply = client.call(request);
      return "answered " + std::to_string(reply.status) + " " + reply.body;
    } catch (const Error& error) {
      return error.what();
    }
  }
  std::string stream_error(const OnLine& on_line = [](auto) { return true; }) {
    try {
      client.stream(get, on_line, {});
      return "ended";
    } catch (const Error& error) {
      return error.what();
    }
  }

  Credentials credentials;
  Client client;
};

std::string at(const ScriptedServer& server, const std::string& rest) {
  return server.access().server + ": " + rest;
}

// Answers every request with 200 and the number of the connection.
void answer_all(ScriptedServer& server, tests::Connection& connection, int number) {
  while (server.take(connection)) connection.write(reply_text(200, std::to_string(number)));
}

TEST(Client, KeepsItsConnection) {
  ScriptedServer server(answer_all);
  Connected us(server);
  EXPECT_EQ(us.client.call(get), (ApiReply{200, "1", {}}));
  EXPECT_EQ(us.client.call(post), (ApiReply{200, "1", {}}));
}

TEST(Client, SaysWhatIsAskedInPlainHttp) {
  ScriptedServer server(answer_all);
  Access access = server.access();
  access.prefix = "/behind";
  access.token = {"token", "secret", ""};
  Connected us(access);
  us.client.call(
      {"PATCH", "/a b/c", {{"watch", "1"}, {"labelSelector", "a/b=c,d"}}, "body", "application/merge-patch+json"});
  const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
  EXPECT_THAT(
      server.requests(),
      ElementsAre("PATCH /behind/a%20b/c?watch=1&labelSelector=a%2Fb%3Dc%2Cd HTTP/1.1\r\n"
                  "Accept: application/json\r\nContent-Length: 4\r\nContent-Type: application/merge-patch+json\r\n" +
                  host + "User-Agent: carrack-operator\r\n\r\nbody"));
}

TEST(Client, SendsAnythingAnewWhereTheServerHasClosedTheConnectionBefore) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int number) {
    if (self.take(connection)) connection.write(reply_text(200, std::to_string(number)));
  });
  Connected us(server);
  EXPECT_EQ(us.client.call(get).body, "1");
  std::this_thread::sleep_for(milliseconds(50));  // for the end of the connection to arrive
  EXPECT_EQ(us.client.call(post).body, "2");
}

// Answers the first request of a connection; the second one ends it.
void end_at_the_second(ScriptedServer& server, tests::Connection& connection, int number) {
  if (server.take(connection)) connection.write(reply_text(200, std::to_string(number)));
  server.take(connection);
}

TEST(Client, AsksAgainOnceWhereAKeptConnectionBreaksBeforeTheReply) {
  ScriptedServer server(end_at_the_second);
  Connected us(server);
  EXPECT_EQ(us.client.call(get).body, "1");
  EXPECT_EQ(us.client.call(get).body, "2");
  EXPECT_THAT(server.requests(), SizeIs(3));
}

TEST(Client, NeverSendsAChangeTwice) {
  ScriptedServer server(end_at_the_second);
  Connected us(server);
  EXPECT_EQ(us.client.call(get).body, "1");
  EXPECT_EQ(us.error_of(post), at(server, "POST /things: it closed the connection without a reply"));
  EXPECT_THAT(server.requests(), SizeIs(2));
  EXPECT_EQ(us.client.call(get).body, "2") << "the next request finds a connection";
}

TEST(Client, AsksOnceOnANewConnection) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) { self.take(connection); });
  EXPECT_EQ(Connected(server).error_of(get), at(server, "GET /things: it closed the connection without a reply"));
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(Client, TakesNoCutReplyForWhole) {
  for (const std::string cut : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n12345",
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"}) {
    ScriptedServer server([&](ScriptedServer& self, tests::Connection& connection, int) {
      if (self.take(connection)) connection.write(cut);
    });
    EXPECT_EQ(Connected(server).error_of(get),
              at(server, "GET /things: it closed the connection in the middle of its reply"))
        << cut;
  }
}

TEST(Client, WaitsNoLongerThanTheBoundForAServerThatAcceptsAndNeverAnswers) {
  ScriptedServer server(
      [](ScriptedServer&, tests::Connection& connection, int) { ScriptedServer::be_silent(connection); });
  EXPECT_EQ(Connected(server, not_for_silence).error_of(get), at(server, "GET /things: it was silent for 0.3 s"));
}

TEST(Client, WaitsNoLongerThanTheBoundForAReplyThatTrickles) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    self.take(connection);
    for (bool open = connection.write(chunked_head); open; open = connection.write(chunk("x"))) {
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  EXPECT_EQ(Connected(server, not_for_long).error_of(get),
            at(server, "GET /things: the reply was not whole after 0.6 s"));
}

TEST(Client, BoundsAReply) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    self.take(connection);
    const std::string piece = chunk(std::string(1 << 20, 'x'));
    for (bool open = connection.write(chunked_head); open; open = connection.write(piece)) {
    }
  });
  EXPECT_EQ(Connected(server).error_of(get), at(server, "GET /things: the reply has more than 67108864 bytes"));
}

TEST(Client, SaysThatNobodyIsThere) {
  int port = 0;
  {
    ScriptedServer gone(answer_all);
    port = gone.port();
  }
  Access access;
  set_server(access, "http://127.0.0.1:" + std::to_string(port));
  EXPECT_EQ(Connected(access).error_of(get),
            access.server + ": GET /things: it cannot be reached, or takes no connections");
  set_server(access, "https://nowhere.invalid");
  EXPECT_EQ(Connected(access).error_of(get),
            "https://nowhere.invalid: GET /things: nowhere.invalid is no address that can be found");
}

TEST(Client, SaysThatAServerSpeaksNoTls) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    connection.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    self.be_silent(connection);
  });
  Access access = server.access("https://");
  EXPECT_EQ(Connected(access).error_of(get), access.server + ": GET /things: no TLS with it (wrong version number)");
}

// Answers with these, one after the other.
ScriptedServer::Serve answers(std::vector<std::string> replies) {
  return [replies](ScriptedServer& self, tests::Connection& connection, int) {
    for (const std::string& reply : replies) {
      if (!self.take(connection) || !connection.write(reply)) return;
    }
  };
}

TEST(Client, WaitsAsLongAsTheServerAsksForAFewTimes) {
  const std::string busy = reply_text(429, "busy", "Retry-After: 0\r\n");
  ScriptedServer server(answers({busy, busy, busy, reply_text(201, "made")}));
  EXPECT_EQ(Connected(server).client.call(post).body, "made");
  EXPECT_THAT(server.requests(), SizeIs(4));

  ScriptedServer always(answers({busy, busy, busy, busy}));
  EXPECT_EQ(Connected(always).client.call(post), (ApiReply{429, "busy", std::chrono::seconds(0)}));
}

TEST(Client, HandsBackWhatTakesLongerOrSaysNoTime) {
  ScriptedServer server(answers({reply_text(503, "later", "Retry-After: 60\r\n"), reply_text(503, "never"),
                                 reply_text(500, "broken", "Retry-After: 0\r\n"),
                                 reply_text(429, "date", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n")}));
  Connected us(server);
  EXPECT_EQ(us.client.call(get), (ApiReply{503, "later", std::chrono::seconds(60)}));
  EXPECT_EQ(us.client.call(get), (ApiReply{503, "never", {}}));
  EXPECT_EQ(us.client.call(get), (ApiReply{500, "broken", std::chrono::seconds(0)}));
  EXPECT_EQ(us.client.call(get), (ApiReply{429, "date", {}}));
}

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
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    self.take(connection);
    connection.write(chunked_head + chunk("one\n"));
    self.be_silent(connection);
  });
  EXPECT_EQ(Connected(server, not_for_silence).stream_error(), at(server, "GET /things: it was silent for 0.3 s"));
}

TEST(ClientStream, BoundsALine) {
  ScriptedServer server(answers({chunked_head + chunk(std::string(longest_line + 1, 'x'))}));
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
