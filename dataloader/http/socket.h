// One connection to a server, plain or TLS. No call waits longer than it was told; whatever ends the connection is kept
// in words. For one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/http/request.h"
#include "dataloader/http/service_url.h"
#include "dataloader/http/stop.h"
#include "dataloader/http/tls.h"

struct addrinfo;

namespace carrack::data {

class Socket {
 public:
  // Connects; `context` is for a server with TLS.
  Socket(const Server& server, SSL_CTX* context, HttpPatience patience, Stop* stop);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Why it serves no more; empty while it does.
  const std::string& failure() const { return failure_; }
  // What has come, at least a byte, up to the end of `into`; 0 once nothing more comes.
  std::size_t read(std::span<std::byte> into);
  bool write(std::string_view bytes);
  // Whether nothing has come unasked, the end least of all.
  bool is_idle() const;
  // From now on it is shut by this one, or by none.
  bool watched_by(Stop* stop);

 private:
  bool connect_to(const addrinfo& address);
  bool shake_hands(const std::string& host);
  bool wait_for(short events, std::chrono::milliseconds patience);
  // Whether to go on after waiting for what OpenSSL waits for.
  bool wait_for_tls(int result, std::chrono::milliseconds patience);
  bool fail(const std::string& why);

  const HttpPatience patience_;
  SSL_CTX* const context_;
  int socket_ = -1;
  TlsSession tls_;
  Stop* stop_ = nullptr;
  std::string failure_;
};

}  // namespace carrack::data
