// An HTTP client for the Kubernetes API server, with TLS and the user's credentials: one persistent connection, for one
// thread at a time. ClientPool (client_pool.h) serves several threads.
//
// A request returns the reply, whatever its status, or throws Error if no complete reply came: with Blame::user if the
// credentials or the CA certificate cannot be used, otherwise with Blame::platform. After an Error the server may or
// may not have carried out the request. The client can be used again.
//
// The client repeats a request only if the server has not carried it out, or if it is a GET:
// - call() up to 3 times after 429 or 503 with a short Retry-After: the server then refuses before it does anything;
// - once after 401, if reading the credentials again finds others;
// - once, a GET on a reused connection that broke before the reply began, because the server may have closed the idle
//   connection at that moment.
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

// Limits of the memory that a reply takes: the body of call(), and one line of stream(). Objects have at most 1.5 MiB,
// the limit of etcd.
constexpr std::size_t reply_bytes_max = std::size_t{64} << 20;
constexpr std::size_t line_bytes_max = std::size_t{3} << 20;

struct ClientTimeouts {
  std::chrono::milliseconds connect{10'000};
  // Without a byte from the server: call() throws. stream() throws before the reply begins and within a line, and
  // returns otherwise.
  std::chrono::milliseconds idle{75'000};
  std::chrono::milliseconds whole_reply{120'000};    // for a complete reply of call(), checked as bytes arrive
  std::chrono::milliseconds retry_after_max{2'000};  // the longest Retry-After for which call() waits
};

class Client {
 public:
  // `credentials` must outlive this. Makes the whole process ignore SIGPIPE. Connects only at the first request.
  explicit Client(Credentials& credentials, ClientTimeouts timeouts = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends a request and waits for the complete reply. Throws Error with Blame::platform if its body has more than
  // reply_bytes_max bytes.
  ApiReply call(const ApiRequest& request);

  // For watches and logs. Calls on_line, on this thread, with each line of a successful (2xx) reply as it arrives.
  // Returns when
  // - the server ends the stream, or sends nothing for ClientTimeouts::idle between two lines;
  // - on_line returns false;
  // - `stop` is requested, a fraction of a second later. Only a credential plugin and the resolving of a host name
  //   cannot be interrupted.
  // The returned reply has a status but no body. The status is 0 if `stop` was requested before a reply began. A reply
  // that is not a success is returned with its body, as by call(), and without a call of on_line.
  // Throws Error with Blame::platform for a line of more than line_bytes_max bytes and for a last line without its
  // newline. It rethrows what on_line throws.
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
  std::string certificate_;  // the client certificate with which http_ was opened
  std::unique_ptr<httplib::ClientImpl> http_;
};

}  // namespace carrack::control
