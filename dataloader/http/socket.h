// Socket: one TCP connection to an HTTP server, plain or with TLS, directly or through a proxy. HttpConnections sends
// requests over it. Calls block, but no longer than the timeouts allow. A failure of the connection does not throw:
// failure() says what happened, and no bytes can be sent or received after it. For one thread at a time; another thread
// may only call stop() of its Stop.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/http/addresses.h"
#include "dataloader/http/pace.h"
#include "dataloader/http/proxies.h"
#include "dataloader/http/request.h"
#include "dataloader/http/service_url.h"
#include "dataloader/http/stop.h"
#include "dataloader/http/tls.h"

namespace carrack::data {

// How to reach a server.
struct Route {
  Server server;
  std::optional<Proxy> proxy = {};  // leads to the server; nullopt: the server is reached directly
};

class Socket {
 public:
  // Connects to the first of `addresses` that accepts a connection. An address that does not answer gets only a part of
  // HttpTimeouts::connect, so that the next ones can be tried. If the route has a proxy, these are the addresses of the
  // proxy. Does not throw if it cannot connect: check failure(). Throws Error if OpenSSL cannot make a session.
  // `context` is used only if the server has TLS, and must then outlive this. `stop` ends the waits of this connection;
  // it may be null, and must otherwise live until the next set_stop() or the destructor.
  Socket(const Addresses& addresses, const Route& route, SSL_CTX* context, HttpTimeouts timeouts, Stop* stop);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Why the connection cannot be used; empty while it can.
  const std::string& failure() const { return failure_; }
  // True if another try would fail in the same way: the server's certificate is not trusted, or
  // the proxy refuses each request (ProxyRefusal::is_permanent).
  bool is_permanent() const { return is_permanent_; }
  // Call this before writing a request and again before reading its reply: the pace (bytes in HttpTimeouts::window) is
  // measured separately for each.
  void restart_pace() { pace_ = Pace(timeouts_.window, timeouts_.window_bytes_min); }
  // Waits for at least one byte and returns the number of bytes read; `into` must not be empty. Returns 0 after a
  // failure. If the server has closed the connection, this is a failure, too: see closed_cleanly().
  std::size_t read(std::span<std::byte> into);
  // Reads bytes that have already arrived, without waiting. Returns 0 if there are none, or after a failure; then call
  // wait_for_more().
  std::size_t read_now(std::span<std::byte> into);
  // Waits until bytes may have arrived for read_now(), which may still return 0. Returns false after a failure, such as
  // a timeout.
  bool wait_for_more() { return wait_for(awaited_events_, silence_); }
  // Writes all bytes. Returns false after a failure.
  bool write(std::string_view bytes);
  // Call this after write() has failed, because the server may have sent a reply that says why: clears the failure and
  // returns it. Bytes that have already arrived can then be read; reads do not wait for more.
  std::string allow_reading_after_failed_write();
  // True if the server has closed the connection in an orderly way, so that a body without a length is complete.
  bool closed_cleanly() const { return closed_cleanly_; }
  // True if the connection can be reused: the server has neither sent bytes that are unread nor closed it. Does not
  // wait.
  bool is_idle() const;
  // Lets `stop`, instead of the previous Stop, end the waits of this connection; null: nothing ends them. Returns
  // false, and the connection has failed, if stop() was called before.
  bool set_stop(Stop* stop);

 private:
  // Connects to nothing yet.
  Socket(SSL_CTX* context, HttpTimeouts timeouts, Stop* stop);
  bool connect_to(const Address& address, std::chrono::milliseconds timeout);
  bool connect_through(const Proxy& proxy, const Server& server);
  std::string read_proxy_head();
  bool handshake(const std::string& host);
  // Counts bytes that were sent or received. Returns `size`, or 0 after a failure: too slow, or past the deadline.
  std::size_t count_bytes(std::size_t size);
  // Waits for events as in poll(2), at most for `timeout`. Returns false after a failure.
  bool wait_for(short events, std::chrono::milliseconds timeout);
  // Waits until the OpenSSL call that returned `result` can be repeated. Returns false after a failure.
  bool wait_for_tls(int result, std::chrono::milliseconds timeout) {
    return set_awaited_events(result) && wait_for(awaited_events_, timeout);
  }
  // Sets the events for which the OpenSSL call that returned `result` waits. Returns false if the connection has ended.
  bool set_awaited_events(int result);
  // Sets failure(), and returns false.
  bool fail(const std::string& reason);

  const HttpTimeouts timeouts_;
  std::chrono::milliseconds silence_ = timeouts_.silence;  // the maximum time of a wait
  Pace pace_{timeouts_.window, timeouts_.window_bytes_min};
  SSL_CTX* const context_;
  int socket_ = -1;
  TlsSession tls_;
  Stop* stop_ = nullptr;
  short awaited_events_ = 0;  // events for which wait_for_more() waits, as in poll(2)
  std::string failure_;
  bool closed_cleanly_ = false;  // The server has closed the connection properly.
  bool is_permanent_ = false;
};

}  // namespace carrack::data
