// One persistent connection to the API server, for one thread at a time.
//
// Every request ends with a reply of any status, or with an Error that says why no complete reply came:
// Blame::platform, or Blame::user for credentials that cannot be used. After an Error a write may or may not have been
// done.
//
// The client sends a request again only if the server has not done it, or if doing it twice does no harm:
// - call() after 429 or 503 with a short Retry-After, with which the server refuses before it does anything; 3 times;
// - after 401, if other credentials are found; once;
// - a GET on a reused connection that broke before the first byte of the reply, because the server may have closed the
//   idle connection at that moment; once.
// A write is not sent again when its connection breaks, since the server may have done it before.
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

// Limits of the memory that a reply takes. The API server stores objects of at most 1.5 MiB, the limit of etcd.
constexpr std::size_t reply_bytes_max = std::size_t{64} << 20;
constexpr std::size_t line_bytes_max = std::size_t{3} << 20;

struct ClientTimeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds idle{75'000};            // without a byte of the reply; ends a stream without an Error
  std::chrono::milliseconds whole_reply{120'000};    // for a complete reply of call()
  std::chrono::milliseconds retry_after_max{2'000};  // call() returns a 429 or 503 with a longer Retry-After
};

class Client {
 public:
  // `credentials` must outlive this. Makes the whole process ignore SIGPIPE. Connects at the first request.
  explicit Client(Credentials& credentials, ClientTimeouts timeouts = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends a request and waits for the complete reply. A body of more than reply_bytes_max is an Error.
  ApiReply call(const ApiRequest& request);

  // Calls on_line with each line of a successful reply. Returns when the server ends the stream or is idle, when
  // on_line returns false, or a fraction of a second after `stop` is requested. The returned reply has no body; its
  // status is 0 if `stop` was requested before the status came. A reply that is not a success is returned as by call().
  // Throws Error for a line of more than line_bytes_max and for one that the server does not complete, and whatever
  // on_line throws.
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
  std::string certificate_;  // the client certificate of the current connection
  std::unique_ptr<httplib::ClientImpl> http_;
};

}  // namespace carrack::control
