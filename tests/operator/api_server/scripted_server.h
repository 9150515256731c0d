// A server that does on each connection what a test says, for faults that no HTTP library plays. The destructor ends
// every connection first.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "operator/api_server/access.h"
#include "tests/support/gcs/connection.h"

namespace carrack::control {

class ScriptedServer {
 public:
  // What is done on the connection of that number, from 1; it is closed at the end.
  using Serve = std::function<void(ScriptedServer& server, tests::Connection& connection, int number)>;

  explicit ScriptedServer(Serve serve);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  Access access(const std::string& scheme = "http://") const;
  int port() const { return listener_.port(); }

  // Reads a request, head and body, and keeps it; nothing where the client is gone.
  std::optional<std::string> take(tests::Connection& connection);
  std::vector<std::string> requests() const;  // heads and bodies as they came

  // Until the client is gone, with nothing said.
  static void be_silent(tests::Connection& connection);

 private:
  void accept_connections();

  const Serve serve_;
  tests::OpenSockets sockets_;
  tests::Listener listener_{{"127.0.0.1", 0}, sockets_};
  mutable std::mutex mutex_;  // of requests_
  std::vector<std::string> requests_;
  std::vector<std::jthread> connections_;  // of the accepting thread
  std::jthread accepting_;
};

// A whole reply; `fields` are lines of its head, each with its end.
std::string reply_text(int status, const std::string& body, const std::string& fields = "");
// The beginning of a reply in chunks, and a chunk.
inline const std::string chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
std::string chunk(const std::string& bytes);
inline const std::string last_chunk = "0\r\n\r\n";

// Answers every request with 200 and the number of the connection.
void answer_all(ScriptedServer& server, tests::Connection& connection, int number);
// Answers with these, one after the other.
ScriptedServer::Serve answers(const std::vector<std::string>& replies);

}  // namespace carrack::control
