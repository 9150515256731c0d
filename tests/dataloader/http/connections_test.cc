// What becomes of requests to a server that does as the test says.
#include "dataloader/http/connections.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/http/socket.h"
#include "tests/dataloader/http/scripted_server.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;

TEST(Connections, AreKept) {
  const ScriptedServer server = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  HttpConnections connections(server.url(), {});
  for (int i = 0; i < 3; ++i) {
    const HttpReply reply = connections.send(get);
    EXPECT_TRUE(reply.is_complete);
    EXPECT_EQ(reply.body, "hello");
  }
  EXPECT_EQ(server.connections, 1);
}

TEST(Connections, AreNotUsedAgainOnceTheyWereIdleForLong) {
  const ScriptedServer server = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  HttpConnections connections(server.url(), {.idle = milliseconds(0)});
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_EQ(connections.send(get).body, "hello");
  }
  EXPECT_EQ(server.connections, 3);
}

// A server may be found at several addresses, of which the first ones lead nowhere.
TEST(Connections, AreMadeToTheFirstAddressThatTakesThem) {
  tests::OpenSockets sockets;
  tests::Listener listener({"127.0.0.1", 0}, sockets);
  std::vector<Address> addresses;
  for (const int port : {1, listener.port(), 1}) {
    const data::Server at{.host = "127.0.0.1", .port = std::to_string(port), .name = {}};
    addresses.push_back(std::get<std::vector<Address>>(addresses_of(at)).at(0));
  }
  const data::Server server{.host = "many.addresses", .port = {}, .name = {}};
  EXPECT_EQ(Socket(addresses, {server}, nullptr, {}, nullptr).failure(), "");
  addresses.erase(addresses.begin() + 1);
  EXPECT_EQ(Socket(addresses, {server}, nullptr, {}, nullptr).failure(), "cannot connect: Connection refused");
}

TEST(Connections, ThatAreCutOffGiveNoWholeBody) {
  tests::OpenSockets sockets;
  tests::Listener listener({"127.0.0.1", 0}, sockets);
  const std::jthread cutting([&] {
    const int client = listener.accept().value();
    char request[1024];
    EXPECT_GT(::recv(client, request, sizeof request, 0), 0);
    constexpr std::string_view reply = "HTTP/1.0 200 OK\r\n\r\nhel";
    EXPECT_EQ(::send(client, reply.data(), reply.size(), 0), static_cast<ssize_t>(reply.size()));
    std::this_thread::sleep_for(milliseconds(50));  // For what was sent to be read.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    sockets.close(client);
  });
  EXPECT_EQ(failure_at("http://127.0.0.1:" + std::to_string(listener.port())), " (Connection reset by peer)");
}

TEST(Connections, AreNotKeptWhereTheServerEndsThem) {
  for (const char* header : {"Connection: close\r\n", ""}) {
    const ScriptedServer server =
        answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + std::string(header) + "\r\nhello", true);
    HttpConnections connections(server.url(), {});
    EXPECT_EQ(connections.send(get).body, "hello");
    std::this_thread::sleep_for(milliseconds(20));  // For its end to be seen.
    EXPECT_EQ(connections.send(get).body, "hello");
    EXPECT_EQ(server.connections, 2);
  }
}

TEST(Connections, TakeABodyThatEndsWithThem) {
  const ScriptedServer server = answering("HTTP/1.0 200 OK\r\n\r\nhello", true);
  const HttpReply reply = HttpConnections(server.url(), {}).send(get);
  EXPECT_TRUE(reply.is_complete);
  EXPECT_EQ(reply.body, "hello");
}

TEST(Connections, PassOverWhatIsOnTheWayToAReply) {
  const ScriptedServer server = answering(
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n0\r\n\r\n");
  HttpConnections connections(server.url(), {});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(connections.send(get).body, "hello");
}

TEST(Connections, SayWhyThereIsNoAnswer) {
  EXPECT_EQ(failure_at("http://127.0.0.1:1"), " (cannot connect: Connection refused)");
  EXPECT_THAT(failure_at("http://no.such.host.invalid"), testing::StartsWith(" (cannot find no.such.host.invalid: "));
  EXPECT_EQ(failure_at(answering("", true).url()), " (closed the connection)");
  EXPECT_EQ(failure_at(answering("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", true).url()),
            " (closed the connection)");
  EXPECT_EQ(failure_at(answering("SSH-2.0-OpenSSH\r\n\r\n").url()), " (the reply is not HTTP)");
  EXPECT_EQ(failure_at(answering("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n").url()),
            " (its reply has the Content-Length many)");
  EXPECT_EQ(failure_at(answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n").url()),
            " (its reply has both a Content-Length and a Transfer-Encoding)");
  EXPECT_EQ(failure_at(answering("HTTP/1.1 200 OK\r\nA: " + std::string(100'000, 'a') + "\r\n\r\n").url()),
            " (the head of its reply is longer than 64 KiB)");
  EXPECT_EQ(failure_at(answering("HTTP/1.1 200 OK\r\n").url(), {.silence = milliseconds(30)}), " (silent for 30 ms)");
}

TEST(Connections, DoNotHoldALongerAnswerThanTheyMay) {
  const ScriptedServer server = answering("HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\nhello");
  HttpRequest request = get;
  request.body_bytes_max = 4;
  const HttpReply reply = HttpConnections(server.url(), {}).send(request);
  EXPECT_FALSE(reply.is_complete);
  EXPECT_EQ(reply.failure, "no answer from " + server.url() + " (the answer is longer than 4 bytes)");
}

TEST(Connections, KeepTheStartOfALongErrorReply) {
  const std::string body(300'000, 'x');
  const ScriptedServer server = answering("HTTP/1.1 500 Oops\r\nContent-Length: 300000\r\n\r\n" + body);
  HttpConnections connections(server.url(), {});
  for (int i = 0; i < 2; ++i) {
    const HttpReply reply = connections.send(get);
    EXPECT_TRUE(reply.is_complete) << reply.failure;
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(reply.body.size(), 65'536u);
  }
  EXPECT_EQ(server.connections, 1);
}

TEST(Connections, GiveContentToWhoReceivesIt) {
  const std::string content(300'000, 'x');
  const ScriptedServer server = answering("HTTP/1.1 206 OK\r\nA: b\r\nContent-Length: 300000\r\n\r\n" + content);
  HttpConnections connections(server.url(), {});
  std::string got;
  HttpRequest request = get;
  request.receive = [&](const HttpReply& head, std::span<const std::byte> piece) {
    EXPECT_EQ(head.header("A"), "b");
    got.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return got.size() < 500'000;
  };
  EXPECT_TRUE(connections.send(request).is_complete);
  EXPECT_TRUE(got == content);
  EXPECT_FALSE(connections.send(request).is_complete);
  EXPECT_GE(got.size(), 500'000u);
  EXPECT_TRUE(connections.send(get).is_complete) << "the one before was not kept";
  EXPECT_EQ(server.connections, 2);
}

// And what is not read there is received.
TEST(Connections, ReadContentToItsPlace) {
  std::string content(300'000, 'x');
  for (std::size_t i = 0; i < content.size(); i += 100) content[i] = static_cast<char>('a' + i / 100 % 26);
  const ScriptedServer server = answering("HTTP/1.1 206 OK\r\nContent-Length: 300000\r\n\r\n" + content);
  HttpConnections connections(server.url(), {});
  std::string got(content.size(), ' ');
  std::size_t came = 0, placed = 0, asked = 0;
  HttpRequest request = get;
  request.receive = [&](const HttpReply&, std::span<const std::byte> piece) {
    std::memcpy(got.data() + came, piece.data(), piece.size());
    came += piece.size();
    return true;
  };
  request.receive_in_place = [&](const HttpReply&, const ReadNow& read) {
    if (asked++ % 5 == 4) return;
    const std::size_t size = read(std::as_writable_bytes(std::span(got).subspan(came)));
    placed += size;
    came += size;
  };
  for (int i = 0; i < 2; ++i) {
    got.assign(content.size(), ' ');
    came = placed = 0;
    EXPECT_TRUE(connections.send(request).is_complete);
    EXPECT_TRUE(got == content);
    EXPECT_GT(placed, 0u);
  }
  EXPECT_EQ(server.connections, 1);
}

TEST(Connections, RefuseWhatIsNoAddress) {
  try {
    HttpConnections("https://host/path", {});
    FAIL();
  } catch (const Refused& error) {
    EXPECT_STREQ(error.what(),
                 "https://host/path: is not the address of a service; write http://HOST:PORT or https://HOST:PORT");
  }
}

TEST(Stopped, ARequestEndsWhereverItWaits) {
  for (const char* text : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"}) {
    const ScriptedServer server = answering(text);
    HttpConnections connections(server.url(), {});
    Stop stop;
    HttpRequest request = get;
    request.stop = &stop;
    std::jthread stopping([&] {
      std::this_thread::sleep_for(milliseconds(30));
      stop.stop();
    });
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_FALSE(connections.send(request).is_complete) << text;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
  }
}

TEST(Stopped, ARequestThatHasNotBegunDoesNot) {
  const ScriptedServer server = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  HttpConnections connections(server.url(), {});
  Stop stop;
  stop.stop();
  HttpRequest request = get;
  request.stop = &stop;
  EXPECT_EQ(connections.send(request).failure, "no answer from " + server.url() + " (was stopped)");
  EXPECT_TRUE(connections.send(get).is_complete);
  EXPECT_EQ(connections.send(request).failure, "no answer from " + server.url() + " (was stopped)");
  EXPECT_TRUE(connections.send(get).is_complete);
}

TEST(Stopped, ARequestThatHasEndedIsNot) {
  const ScriptedServer server = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  HttpConnections connections(server.url(), {});
  Stop stop;
  HttpRequest request = get;
  request.stop = &stop;
  EXPECT_TRUE(connections.send(request).is_complete);
  stop.stop();
  EXPECT_TRUE(connections.send(get).is_complete);
  EXPECT_EQ(server.connections, 1);
}

}  // namespace
}  // namespace carrack::data
