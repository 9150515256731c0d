// Requests of several threads.
#include "operator/api_server/client_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <set>

#include "tests/operator/api_server/connected.h"

namespace carrack::control {
namespace {

struct Pooled {
  explicit Pooled(const ScriptedServer& server) : credentials(server.access(), {}, any_clock), pool(credentials) {}
  Credentials credentials;
  ClientPool pool;
};

TEST(ClientPool, SendsOneRequestAfterTheOtherOnOneConnection) {
  ScriptedServer server(answer_all);
  Pooled us(server);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(us.pool.call(get), (ApiReply{200, "1", {}}));
  EXPECT_EQ(us.pool.idle(), 1U);
}

TEST(ClientPool, SendsRequestsOfSeveralThreadsOnAConnectionEach) {
  constexpr int threads = 8;
  std::barrier all_have_asked(threads);
  ScriptedServer server([&](ScriptedServer& self, tests::Connection& connection, int number) {
    while (self.take(connection)) {
      all_have_asked.arrive_and_wait();
      connection.write(reply_text(200, std::to_string(number)));
    }
  });
  Pooled us(server);
  std::vector<std::string> answers(threads);
  {
    std::vector<std::jthread> callers;
    for (int n = 0; n < threads; ++n) {
      callers.emplace_back([&, n] { answers[static_cast<std::size_t>(n)] = us.pool.call(get).body; });
    }
  }
  EXPECT_EQ(std::set<std::string>(answers.begin(), answers.end()).size(), 8U);
  EXPECT_EQ(us.pool.idle(), 8U);
}

TEST(ClientPool, KeepsNoConnectionThatFailed) {
  ScriptedServer server([](ScriptedServer& self, tests::Connection& connection, int number) {
    if (number == 1) return;
    while (self.take(connection)) connection.write(reply_text(200, std::to_string(number)));
  });
  Pooled us(server);
  EXPECT_THROW(us.pool.call(post), Error);
  EXPECT_EQ(us.pool.idle(), 0U);
  EXPECT_EQ(us.pool.call(post), (ApiReply{200, "2", {}}));
}

}  // namespace
}  // namespace carrack::control
