// Single requests to a server that breaks in every way.
#include "operator/api_server/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "tests/operator/api_server/connected.h"

namespace carrack::control {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::SizeIs;

constexpr ClientTimeouts not_for_long{milliseconds(10'000), milliseconds(10'000), milliseconds(600)};

TEST(Client, KeepsItsConnection) {
  ScriptedServer server(answer_all);
  Connected us(server);
  EXPECT_EQ(us.client.call(get), (ApiReply{200, "1", {}}));
  EXPECT_EQ(us.client.call(post), (ApiReply{200, "1", {}}));
}

// Releases of the HTTP library write headers in different orders.
std::string with_sorted_headers(const std::string& request) {
  const std::size_t begin = request.find("\r\n") + 2, end = request.find("\r\n\r\n") + 2;
  std::vector<std::string> headers;
  for (std::size_t at = begin; at < end; at = request.find("\r\n", at) + 2) {
    headers.push_back(request.substr(at, request.find("\r\n", at) + 2 - at));
  }
  std::ranges::sort(headers);
  std::string sorted = request.substr(0, begin);
  for (const std::string& header : headers) sorted += header;
  return sorted + request.substr(end);
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
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(with_sorted_headers(server.requests()[0]),
            "PATCH /behind/a%20b/c?watch=1&labelSelector=a%2Fb%3Dc%2Cd HTTP/1.1\r\n"
            "Accept: application/json\r\nContent-Length: 4\r\nContent-Type: application/merge-patch+json\r\n" +
                host + "User-Agent: carrack-operator\r\n\r\nbody");
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
  EXPECT_EQ(Connected(server, not_for_silence).error_of(get), at(server, "GET /things: it sent nothing for 0.3 s"));
}

TEST(Client, WaitsNoLongerThanTheBoundForAReplyThatTrickles) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    self.take(connection);
    for (bool open = connection.write(chunked_head); open; open = connection.write(chunk("x"))) {
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  EXPECT_EQ(Connected(server, not_for_long).error_of(get),
            at(server, "GET /things: the reply was not complete after 0.6 s"));
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
            access.server + ": GET /things: it cannot be reached, or accepts no connections");
  set_server(access, "https://nowhere.invalid");
  EXPECT_EQ(Connected(access).error_of(get),
            "https://nowhere.invalid: GET /things: nowhere.invalid cannot be resolved to an address");
}

TEST(Client, SaysThatAServerSpeaksNoTls) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int) {
    connection.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    self.be_silent(connection);
  });
  Access access = server.access("https://");
  EXPECT_EQ(Connected(access).error_of(get),
            access.server + ": GET /things: the TLS handshake failed (wrong version number)");
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

}  // namespace
}  // namespace carrack::control
