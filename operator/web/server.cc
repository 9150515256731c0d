#include "operator/web/server.h"

#include <httplib.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <thread>

#include "operator/error.h"
#include "operator/web/brief_stream.h"
#include "operator/web/exposition.h"

namespace carrack::control {
namespace {

constexpr std::size_t threads = 8;
constexpr std::size_t request_bytes_max = 8192;
constexpr auto request_time_max = std::chrono::seconds(2);

struct HostAndPort {
  std::string host;
  int port = 0;
};

HostAndPort host_and_port(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  HostAndPort result;
  if (colon != std::string::npos && colon > 0) {
    result.host = address.substr(0, colon);
    if (result.host.front() == '[' && result.host.back() == ']') {
      result.host = result.host.substr(1, result.host.size() - 2);
    }
    const char* end = address.data() + address.size();
    const auto read = std::from_chars(address.data() + colon + 1, end, result.port);
    if (read.ec == std::errc() && read.ptr == end && result.port >= 0 && result.port <= 65535) return result;
  }
  throw Error(Blame::user, "cannot listen on '" + address + "': it is no ADDRESS:PORT; write one as 0.0.0.0:8080");
}

// One request a connection, so that nobody keeps one.
class BriefServer : public httplib::Server {
 public:
  BriefServer() {
    new_task_queue = [] { return new httplib::ThreadPool(threads); };
    // httplib's own choice, SO_REUSEPORT, lets two servers have one port and hides that it is taken.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const auto until = std::chrono::steady_clock::now() + request_time_max;
    BriefStream stream(socket, {request_bytes_max, until, [this] { return svr_sock_ == INVALID_SOCKET; }});
    bool closed = false;
    const bool answered = process_request(stream, true, closed, nullptr);
    shutdown(socket, SHUT_RDWR);
    close(socket);
    return answered;
  }
};

void answer(httplib::Response& response, const std::optional<std::string>& why_not) {
  if (why_not) response.status = 503;
  response.set_content(why_not.value_or("ok") + "\n", "text/plain");
}

}  // namespace

class Server::Http {
 public:
  Http(const std::string& address, Pages pages) : pages_(std::move(pages)) {
    using httplib::Request, httplib::Response;
    server_.Get("/metrics", [this](const Request&, Response& response) {
      response.set_content(pages_.metrics(), std::string(exposition_type));
    });
    server_.Get("/healthz", [this](const Request&, Response& response) { answer(response, pages_.not_healthy()); });
    server_.Get("/readyz", [this](const Request&, Response& response) { answer(response, pages_.not_ready()); });
    bind(address);
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // Before that it cannot be stopped.
  }
  ~Http() { server_.stop(); }

  int port() const { return port_; }

 private:
  void bind(const std::string& address) {
    const auto [host, port] = host_and_port(address);
    errno = 0;
    port_ = port;
    if (port == 0) port_ = server_.bind_to_any_port(host, AI_NUMERICHOST);
    if (port == 0 ? port_ > 0 : server_.bind_to_port(host, port, AI_NUMERICHOST)) return;
    const std::string why = errno == 0 ? host + " is no IP address" : std::strerror(errno);
    throw Error(Blame::user, "cannot listen on " + address + ": " + why + "; give another address or port");
  }

  const Pages pages_;
  BriefServer server_;
  int port_ = 0;
  std::jthread thread_;
};

Server::Server(const std::string& address, Pages pages) : http_(std::make_unique<Http>(address, std::move(pages))) {}

Server::~Server() = default;

int Server::port() const {
  return http_->port();
}

}  // namespace carrack::control
