// Tells over HTTP how the operator is: /metrics, /healthz and /readyz, to GET; all else is 404.
// Whoever asks, and however slowly: a connection is one request of at most 8 KiB, ends 2 seconds after its turn has
// come, and 8 have theirs at once. The destructor takes a tenth of a second.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace carrack::control {

// Called from several threads at once.
struct Pages {
  std::function<std::string()> metrics;
  // Nothing, or the reason why not.
  std::function<std::optional<std::string>()> not_healthy;
  std::function<std::optional<std::string>()> not_ready;
};

class Server {
 public:
  // `ADDRESS:PORT`, as the user wrote it; port 0 takes a free one. Serves from now on, or throws Error.
  Server(const std::string& address, Pages pages);
  ~Server();

  int port() const;

 private:
  class Http;
  std::unique_ptr<Http> http_;
};

}  // namespace carrack::control
