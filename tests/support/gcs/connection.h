// Sockets that another thread can end, and HTTP bodies on them. No call outlives OpenSockets::shut().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/support/gcs/http_text.h"

namespace carrack::tests {

// Every open socket of one server. After shut() reads and writes on all of them end, on later ones too.
class OpenSockets {
 public:
  void add(int socket);
  void close(int socket);
  void shut();

 private:
  std::mutex mutex_;
  std::set<int> sockets_;
  bool shut_ = false;
};

struct Address {
  std::string host;
  int port = 0;
};

// From http://HOST:PORT; throws std::invalid_argument for anything else.
Address address_from(const std::string& url);

// Owns a connected socket.
class Connection {
 public:
  Connection(int socket, OpenSockets& sockets);
  // Connects; throws std::runtime_error if nobody listens. A read then waits at most `patience`.
  Connection(const Address& address, std::chrono::seconds patience, OpenSockets& sockets);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The next message up to and with its blank line; nothing if the peer is gone first, or sends over 64 KiB.
  std::optional<std::string> read_head();
  // Calls `take` with the pieces of a body as these headers frame it, false if the peer is gone before its end.
  bool read_body(const Fields& headers, const std::function<void(std::string_view)>& take);
  // Up to `size` bytes; 0 if there will be no more.
  std::size_t read_some(char* into, std::size_t size);
  bool write(std::string_view bytes);

 private:
  std::optional<std::string> read_line();
  bool read_exactly(std::uint64_t size, const std::function<void(std::string_view)>& take);
  bool read_chunks(const std::function<void(std::string_view)>& take);
  bool fill();

  int socket_;
  OpenSockets& sockets_;
  std::string read_ahead_;  // Bytes that came with a head and are not consumed yet.
};

// Listens; throws std::runtime_error if the address is taken. Port 0 takes a free one.
class Listener {
 public:
  Listener(const Address& address, OpenSockets& sockets);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // The next connection's socket; nothing once shut.
  std::optional<int> accept();

 private:
  int socket_;
  int port_ = 0;
  OpenSockets& sockets_;
};

}  // namespace carrack::tests
