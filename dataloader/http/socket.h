// One connection to a server, plain or TLS. No call waits longer than it was told; whatever ends the connection is kept
// in words. For one thread at a time.
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
  std::optional<Proxy> proxy = {};  // Through which it is reached.
};

class Socket {
 public:
  // Connects to the first address, of the proxy's where there is one, that takes it; `context` is for a server with
  // TLS.
  Socket(const Addresses& addresses, const Route& route, SSL_CTX* context, HttpTimeouts timeouts, Stop* stop);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Why it serves no more; empty while it does.
  const std::string& failure() const { return failure_; }
  // The other end does not prove to be that server, or a proxy does not lead there, and will not.
  bool is_hopeless() const { return is_hopeless_; }
  // The pace is counted anew: what follows goes the other way.
  void turn() { pace_ = Pace(timeouts_.window, timeouts_.window_bytes_min); }
  // What has come, at least a byte, up to the end of `into`; 0 once nothing more comes.
  std::size_t read(std::span<std::byte> into);
  // The same without waiting: 0 also where nothing has come yet. Then more may be waited for.
  std::size_t read_now(std::span<std::byte> into);
  bool wait_for_more() { return wait_for(awaited_, silence_); }
  bool write(std::string_view bytes);
  // Writing has failed, which says why: what the other end said before may still be read, and no more is waited for.
  std::string hear_out();
  // Whether the other end has said that nothing more comes, and was not just cut off.
  bool ended_in_order() const { return ended_in_order_; }
  // Whether nothing has come unasked, the end least of all.
  bool is_idle() const;
  // From now on it is shut by this one, or by none.
  bool watched_by(Stop* stop);

 private:
  bool connect_to(const Address& address);
  bool pass(const Proxy& proxy, const Server& server);
  std::string head_of_answer();
  bool shake_hands(const std::string& host);
  // So many bytes went over; 0 where that was too slow.
  std::size_t in_time(std::size_t size);
  bool wait_for(short events, std::chrono::milliseconds timeout);
  // Whether to go on after waiting for what OpenSSL waits for.
  bool wait_for_tls(int result, std::chrono::milliseconds timeout) {
    return awaits(result) && wait_for(awaited_, timeout);
  }
  // Whether OpenSSL waits for something; else it is over.
  bool awaits(int result);
  bool fail(const std::string& why);

  const HttpTimeouts timeouts_;
  std::chrono::milliseconds silence_ = timeouts_.silence;
  Pace pace_{timeouts_.window, timeouts_.window_bytes_min};
  SSL_CTX* const context_;
  int socket_ = -1;
  TlsSession tls_;
  Stop* stop_ = nullptr;
  short awaited_ = 0;  // As poll() takes it.
  std::string failure_;
  bool ended_in_order_ = false;
  bool is_hopeless_ = false;
};

}  // namespace carrack::data
