#include "trainer/loop/roles/progress.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <string>
#include <vector>

#include "tests/trainer/loop/connections.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

class ProgressPage : public testing::Test {
 protected:
  ~ProgressPage() override {
    for (const int socket : held) close(socket);
  }

  int connect_and_send(const std::string& text) {
    held.push_back(connected_to(port));
    send(held.back(), text.data(), text.size(), MSG_NOSIGNAL);
    return held.back();
  }

  // All that comes until the other side closes.
  static std::string received_from(int socket) {
    std::string all;
    char bytes[256];
    for (ssize_t got = 0; (got = recv(socket, bytes, sizeof bytes, 0)) > 0;)
      all.append(bytes, static_cast<std::size_t>(got));
    return all;
  }

  std::string get(const std::string& path) const {
    const auto reply = httplib::Client("127.0.0.1", port).Get(path);
    return reply ? std::to_string(reply->status) + " " + reply->body : "no reply";
  }

  const int port = free_port();
  std::vector<int> held;
  ProgressServer server{"127.0.0.1:" + std::to_string(port)};
};

TEST_F(ProgressPage, ShowsTheLastText) {
  server.show("one");
  EXPECT_EQ(get("/progress"), "200 one");
  server.show("two");
  EXPECT_EQ(get("/"), "404 no such page\n");
  EXPECT_EQ(get("/progress"), "200 two");
}

TEST_F(ProgressPage, IsSentAsAWholeAndThenClosed) {
  server.show("text");
  EXPECT_EQ(received_from(connect_and_send("GET /progress HTTP/1.0\r\nHost: h\r\n\r\n")),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntext");
}

TEST_F(ProgressPage, IsServedWhileManyConnectionsAreOpen) {
  server.show("text");
  for (int i = 0; i < 300; ++i) connect_and_send(i % 2 == 0 ? "" : "GET /pro");
  const auto began = Clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get("/progress"), "200 text");
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(2));
}

TEST_F(ProgressPage, ClosesSlowAndEndlessRequests) {
  const auto began = Clock::now();
  EXPECT_EQ(received_from(connect_and_send("GET /pro")), "");
  const auto passed = Clock::now() - began;
  EXPECT_GT(passed, std::chrono::milliseconds(1900));
  EXPECT_LT(passed, std::chrono::milliseconds(4000));
  EXPECT_EQ(received_from(connect_and_send(std::string(20'000, 'x'))), "");
  EXPECT_LT(Clock::now() - began - passed, std::chrono::seconds(1));
}

TEST(ProgressServer, EndsWhileClientsAreConnected) {
  const int port = free_port();
  int held = -1;
  const auto began = Clock::now();
  {
    ProgressServer server("127.0.0.1:" + std::to_string(port));
    held = connected_to(port);
  }
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(1));
  close(held);
  ProgressServer again("127.0.0.1:" + std::to_string(port));
}

TEST(ProgressServer, RefusesAnAddressThatIsTakenOrMalformed) {
  const auto refusal = [](const std::string& address) -> std::string {
    try {
      ProgressServer server(address);
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::platform);
      return error.what();
    }
    return "none";
  };
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  ProgressServer server(address);
  EXPECT_EQ(refusal(address), "cannot serve progress at " + address + ": Address already in use");
  EXPECT_EQ(refusal("localhost"), "cannot serve progress at localhost: not an ADDRESS:PORT such as 0.0.0.0:8080");
}

}  // namespace
}  // namespace carrack::train
