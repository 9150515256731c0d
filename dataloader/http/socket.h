// Socket: one connection to a server, plain or with TLS. No call waits longer than the timeouts allow. A failure of the
// connection does not throw; failure() says what happened. For one thread at a time.
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

struct Route {
  Server server;
  std::optional<Proxy> proxy = {};  // leads to the server; nullopt: the server is reached directly
};

class Socket {
 public:
  // Connects to the first of `addresses` that accepts a connection. If the route has a proxy, these are the addresses
  // of the proxy. Does not throw if it cannot connect: check failure(). `context` is used if the server has TLS, and
  // must outlive this. `stop` ends the waits of this connection; it may be null.
  Socket(const Addresses& addresses, const Route& route, SSL_CTX* context, HttpTimeouts timeouts, Stop* stop);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Why the connection cannot be used; empty while it can.
  const std::string& failure() const { return failure_; }
  // True if another try would fail in the same way: the server's certificate is not trusted, or the proxy refused.
  bool is_permanent() const { return is_permanent_; }
  // Call this before writing a request and before reading its reply: the pace is measured for each of them.
  void restart_pace() { pace_ = Pace(timeouts_.window, timeouts_.window_bytes_min); }
  // Waits for at least one byte; `into` must not be empty. Returns 0 if no more will come; failure() then says why,
  // also after an orderly end.
  std::size_t read(std::span<std::byte> into);
  // Reads in the same way without waiting: returns 0 also if no byte has arrived yet. Then call wait_for_more().
  std::size_t read_now(std::span<std::byte> into);
  // Waits until bytes may have arrived for read_now(), which may still return 0. Returns false after a failure, such as
  // a timeout.
  bool wait_for_more() { return wait_for(awaited_events_, silence_); }
  // Writes all bytes. Returns false after a failure.
  bool write(std::string_view bytes);
  // Call this after write() failed: clears the failure and returns it. Bytes that the server has sent before can then
  // be read; reads do not wait for more.
  std::string allow_reading_after_failed_write();
  // True if the server closed the connection properly, so that a body without a length is complete.
  bool closed_cleanly() const { return ended_in_order_; }
  // True if the server has neither sent bytes that are unread nor closed the connection.
  bool is_idle() const;
  // Lets `stop`, instead of the previous Stop, end the waits of this connection; null: nothing ends them. Returns false
  // if stop() was called before.
  bool set_stop(Stop* stop);

 private:
  bool connect_to(const Address& address);
  bool connect_through(const Proxy& proxy, const Server& server);
  std::string read_proxy_head();
  bool handshake(const std::string& host);
  // Counts bytes that were sent or received. Returns `size`, or 0 after a failure: too slow, or past the deadline.
  std::size_t count_bytes(std::size_t size);
  bool wait_for(short events, std::chrono::milliseconds timeout);
  // Waits until the OpenSSL call that returned `result` can be repeated. Returns false after a failure.
  bool wait_for_tls(int result, std::chrono::milliseconds timeout) {
    return set_awaited_events(result) && wait_for(awaited_events_, timeout);
  }
  bool set_awaited_events(int result);
  bool fail(const std::string& reason);

  const HttpTimeouts timeouts_;
  std::chrono::milliseconds silence_ = timeouts_.silence;
  Pace pace_{timeouts_.window, timeouts_.window_bytes_min};
  SSL_CTX* const context_;
  int socket_ = -1;
  TlsSession tls_;
  Stop* stop_ = nullptr;
  short awaited_events_ = 0;  // as poll(2) takes them
  std::string failure_;
  bool ended_in_order_ = false;
  bool is_permanent_ = false;
};

}  // namespace carrack::data
