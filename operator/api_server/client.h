// One persistent connection to the API server, for one thread at a time.
//
// Every request ends: with a reply, whatever its status, or with an Error, which says why no complete reply came. After
// an Error a write may or may not have been done.
//
// A request is sent again by itself only if it was certainly not done, or does no harm twice:
// - after 429 or 503 with a short Retry-After, which come before the server does anything; a few times;
// - after 401; once, if there is another token by then;
// - a GET on a reused connection that broke before the first byte of the reply; once.
// The server may have closed that idle connection just then. A write is never sent again, since the server may as well
// have crashed while it did it.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "operator/api_server/breaker.h"
#include "operator/api_server/credentials.h"
#include "operator/api_server/lines.h"
#include "operator/api_server/request.h"
#include "operator/api_server/tls.h"

namespace httplib {
class ClientImpl;
enum class Error;
}  // namespace httplib

namespace carrack::control {

// etcd, below the API server, stores objects of at most 1.5 MiB.
constexpr std::size_t reply_bytes_max = std::size_t{64} << 20;
constexpr std::size_t line_bytes_max = std::size_t{3} << 20;

struct ClientTimeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds idle{75'000};            // between bytes of a reply; a stream that is idle so long ends
  std::chrono::milliseconds whole_reply{120'000};    // of a reply that is not a stream
  std::chrono::milliseconds retry_after_max{2'000};  // a longer Retry-After is left to the caller; obeyed three times
};

class Client {
 public:
  // `credentials` must outlive this.
  explicit Client(Credentials& credentials, ClientTimeouts timeouts = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends a request and waits for the complete reply, of at most 64 MiB.
  ApiReply call(const ApiRequest& request);

  // Calls on_line with each line, of at most 3 MiB, of a successful reply, until the server ends the stream or is idle,
  // on_line returns false, or `stop` is requested, which ends it within a fraction of a second. None of these is an
  // Error. The reply then has no body, and status 0 if it was stopped before the status came. A reply that is not a
  // success is returned as by call().
  ApiReply stream(const ApiRequest& request, const OnLine& on_line, const std::stop_token& stop);

 private:
  struct Exchange;
  ApiReply send_authenticated(const ApiRequest& request, const OnLine* on_line, const std::stop_token& stop);
  ApiReply send_with_retry(const ApiRequest& request, const Identity& identity, const OnLine* on_line,
                           const std::stop_token& stop);
  bool can_reuse(const Identity& identity) const;
  void open(const Identity& identity);
  void close();
  std::string try_once(const ApiRequest& request, const Identity& identity, Exchange& exchange);
  std::string describe_failure(httplib::Error error, const Exchange& exchange) const;

  Credentials& credentials_;
  const ClientTimeouts timeouts_;
  CertificateFailure certificate_failure_;
  SocketBreaker breaker_;
  std::string certificate_;  // our certificate on the current connection
  std::unique_ptr<httplib::ClientImpl> http_;
};

}  // namespace carrack::control
