#include "tests/operator/api_server/scripted_server.h"

#include <array>
#include <cstdio>

namespace carrack::control {

ScriptedServer::ScriptedServer(Serve serve) : serve_(std::move(serve)), accepting_([this] { accept_connections(); }) {}

ScriptedServer::~ScriptedServer() {
  sockets_.shut();
}

Access ScriptedServer::access(const std::string& scheme) const {
  Access access;
  set_server(access, scheme + "127.0.0.1:" + std::to_string(port()));
  return access;
}

std::optional<std::string> ScriptedServer::take(tests::Connection& connection) {
  std::optional<std::string> request = connection.read_head();
  if (!request) return std::nullopt;
  const auto head = tests::request_head_from(*request);
  const bool whole = head && connection.read_body(head->headers, [&](std::string_view piece) { *request += piece; });
  const std::lock_guard lock(mutex_);
  requests_.push_back(*request);
  return whole ? request : std::nullopt;
}

std::vector<std::string> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::be_silent(tests::Connection& connection) {
  std::array<char, 4096> ignored{};
  while (connection.read_some(ignored.data(), ignored.size()) > 0) {
  }
}

void ScriptedServer::accept_connections() {
  for (int number = 1;; ++number) {
    const std::optional<int> socket = listener_.accept();
    if (!socket) return connections_.clear();
    connections_.emplace_back([this, number, socket] {
      tests::Connection connection(*socket, sockets_);
      serve_(*this, connection, number);
    });
  }
}

std::string reply_text(int status, const std::string& body, const std::string& fields) {
  return "HTTP/1.1 " + std::to_string(status) + " Some\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         fields + "\r\n" + body;
}

std::string chunk(const std::string& bytes) {
  std::array<char, 20> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return size.data() + bytes + "\r\n";
}

void answer_all(ScriptedServer& server, tests::Connection& connection, int number) {
  while (server.take(connection)) connection.write(reply_text(200, std::to_string(number)));
}

ScriptedServer::Serve answers(const std::vector<std::string>& replies) {
  return [replies](ScriptedServer& self, tests::Connection& connection, int) {
    for (const std::string& reply : replies) {
      if (!self.take(connection) || !connection.write(reply)) return;
    }
  };
}

}  // namespace carrack::control
