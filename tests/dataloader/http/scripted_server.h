// A server that does with each connection as a test says.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/http/connections.h"
#include "tests/support/gcs/connection.h"

namespace carrack::data {

// Calls `serve` with each connection, in a thread of its own.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<void(tests::Connection&)> serve) : serve_(std::move(serve)) {
    accepting_ = std::jthread([this] {
      while (const auto socket = listener_.accept()) {
        ++connections;
        serving_.emplace_back([this, client = *socket] {
          tests::Connection connection(client, sockets_);
          serve_(connection);
        });
      }
    });
  }
  ~ScriptedServer() {
    sockets_.shut();
    accepting_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()); }
  std::atomic<int> connections = 0;

 private:
  const std::function<void(tests::Connection&)> serve_;
  tests::OpenSockets sockets_;
  tests::Listener listener_{{"127.0.0.1", 0}, sockets_};
  std::vector<std::jthread> serving_;
  std::jthread accepting_;
};

// Answers each request of a connection with that, and ends it then or not.
inline ScriptedServer answering(const std::string& text, bool then_ends = false) {
  return ScriptedServer([=](tests::Connection& client) {
    while (client.read_head()) {
      client.write(text);
      if (then_ends) return;
    }
  });
}

inline const HttpRequest get{.method = "GET", .target = "/"};

// What is said of a request there, behind whose it is.
inline std::string failure_at(const std::string& url, HttpTimeouts timeouts = {}) {
  const HttpReply reply = HttpConnections(url, timeouts).send(get);
  EXPECT_FALSE(reply.is_complete);
  const std::string start = "no answer from " + url;
  EXPECT_TRUE(reply.failure.starts_with(start)) << reply.failure;
  return reply.failure.substr(start.size());
}

}  // namespace carrack::data
