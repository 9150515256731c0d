// One kept connection to the API server, for one thread at a time.
//
// Every request ends: in a reply, whatever its status, or in an Error, which says that no whole reply came and why.
// What then became of the request is not known: a change may have been made.
//
// Sent again by itself is only what was certainly not done, or does no harm twice:
// - after 429 or 503 with a short Retry-After, which come before anything is done, a few times;
// - after 401, once, if there is another token by then;
// - a GET on a connection that had served before, once, if it broke before a byte of the reply: the server may close a
//   connection that rests at the very moment when a request sets out. Nobody can know whether it was this or a server
//   that ended in the middle of the work, so a change is never sent again.
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

// Bounds of a reply; etcd, below the API server, takes objects of at most 1.5 MiB.
constexpr std::size_t largest_reply = std::size_t{64} << 20;
constexpr std::size_t longest_line = std::size_t{3} << 20;

struct Patience {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds silence{75'000};  // of a reply; a stream that is silent so long has ended
  std::chrono::milliseconds call{120'000};    // for the whole of a reply that is no stream
  std::chrono::milliseconds pause{2'000};     // the longest Retry-After that is obeyed here, at most three times
};

class Client {
 public:
  explicit Client(Credentials& credentials, Patience patience = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The whole reply, of at most 64 MiB.
  ApiReply call(const ApiRequest& request);

  // Hands on each line of a success, of at most 3 MiB, until the server ends the stream or falls silent, `on_line` is
  // false, or `stop` is requested, which ends it in a fraction of a second; none of these is an Error. The reply then
  // has no body, and no status where it was stopped before there was one. Any other reply is returned as call() does.
  ApiReply stream(const ApiRequest& request, const OnLine& on_line, const std::stop_token& stop);

 private:
  struct Exchange;
  ApiReply answered(const ApiRequest& request, const OnLine* on_line, const std::stop_token& stop);
  ApiReply sent(const ApiRequest& request, const Identity& identity, const OnLine* on_line,
                const std::stop_token& stop);
  bool is_kept(const Identity& identity) const;
  void open(const Identity& identity);
  void close();
  std::string try_once(const ApiRequest& request, const Identity& identity, Exchange& exchange);
  std::string failure_of(httplib::Error error, const Exchange& exchange) const;

  Credentials& credentials_;
  const Patience patience_;
  CertificateFailure verdict_;
  Breaker breaker_;
  std::string certificate_;  // that the connection was made with
  std::unique_ptr<httplib::ClientImpl> http_;
};

}  // namespace carrack::control
