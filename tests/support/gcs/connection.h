// Sockets that another thread can shut down, and HTTP messages on them. All calls return soon after
// OpenSockets::shut().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dataloader/mutex.h"
#include "tests/support/gcs/http_text.h"

namespace carrack::tests {

// All open sockets of one server. shut() makes reads and writes fail on all of them, and on sockets that are added
// later. Safe for many threads.
class OpenSockets {
 public:
  void add(int socket);
  void close(int socket);
  void shut();

 private:
  Mutex mutex_;
  std::set<int> sockets_ GUARDED_BY(mutex_);
  bool is_shut_ GUARDED_BY(mutex_) = false;
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
  // Connects; throws std::runtime_error if nobody listens. Each read then waits at most for `read_timeout`.
  Connection(const Address& address, std::chrono::seconds read_timeout, OpenSockets& sockets);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The next message up to and with its blank line; nullopt if the peer closes before that or sends more than 64 KiB.
  std::optional<std::string> read_head();
  // Calls `take` with the pieces of a body whose framing is in `headers`. Returns false if the peer closes before its
  // end.
  bool read_body(const Fields& headers, const std::function<void(std::string_view)>& take);
  // Reads up to `size` bytes; returns 0 if no more will come.
  std::size_t read_some(char* into, std::size_t size);
  bool write(std::string_view bytes);

 private:
  std::optional<std::string> read_line();
  bool read_exactly(std::uint64_t size, const std::function<void(std::string_view)>& take);
  bool read_chunks(const std::function<void(std::string_view)>& take);
  bool fill();

  int socket_;
  OpenSockets& sockets_;
  std::string read_ahead_;  // Bytes that arrived with a head and are not used yet.
};

// Listens; throws std::runtime_error if the address is taken. Port 0 takes a free one.
class Listener {
 public:
  Listener(const Address& address, OpenSockets& sockets);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // Waits for the next connection and returns its socket; nullopt after shut().
  std::optional<int> accept();

 private:
  int socket_;
  int port_ = 0;
  OpenSockets& sockets_;
};

}  // namespace carrack::tests
