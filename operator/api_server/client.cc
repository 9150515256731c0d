#include "operator/api_server/client.h"

#include <httplib.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <array>
#include <charconv>
#include <csignal>
#include <exception>
#include <thread>

#include "operator/error.h"

namespace carrack::control {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Makes the connection to a server that has vanished break after 30 s, whether this side waits or writes.
void enable_keepalive(int socket) {
  const auto set = [&](int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

// Returns the header Retry-After in seconds, as the API server writes it; nullopt if it is missing or is a date.
std::optional<std::chrono::seconds> retry_after_in(const httplib::Response& head) {
  const std::string text = head.get_header_value("Retry-After");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string format_seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  if (time.count() % 1000 != 0) text += "." + std::to_string(time.count() % 1000 / 100);
  return text + " s";
}

constexpr const char* not_resolved = " cannot be resolved to an address";

std::string host_and_port(const Access& access) {
  const std::string host = access.host.find(':') == std::string::npos ? access.host : "[" + access.host + "]";
  return host + ":" + std::to_string(access.port);
}

// Returns the first address of the host, in digits, or "" if the host cannot be resolved. The client needs the address
// if the certificate has another name than the host: httplib then knows only the name in the certificate, and would
// connect to that name.
std::string numeric_address(const Access& access) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(access.host.c_str(), nullptr, &hints, &found) != 0) return "";
  std::array<char, NI_MAXHOST> text{};
  getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  freeaddrinfo(found);
  return text.data();
}

}  // namespace

// One attempt to send a request, and its result.
struct Client::Exchange {
  Exchange(const OnLine* line_callback, const std::stop_token& stop_token, const ClientTimeouts& client_timeouts)
      : on_line(line_callback), stop(stop_token), timeouts(client_timeouts) {}

  const OnLine* on_line;  // nullptr: the body goes into reply.body
  const std::stop_token& stop;
  const ClientTimeouts& timeouts;
  SteadyClock::time_point begin = SteadyClock::now();
  SteadyClock::time_point last_byte = begin;
  LineSplitter lines{line_bytes_max};
  ApiReply reply;
  bool connecting = false;    // a socket was opened in this attempt
  bool ended = false;         // on_line returned false
  std::string failure;        // why this client stopped reading; empty if it did not
  std::exception_ptr thrown;  // what on_line threw; null if it did not throw

  bool is_idle() const { return SteadyClock::now() - last_byte >= timeouts.idle; }
  bool streams() const { return on_line != nullptr && is_success(reply); }

  // httplib calls on_head() and on_body() as the reply arrives. If one of them returns false, httplib closes the
  // connection.
  bool on_head(const httplib::Response& head) {
    last_byte = SteadyClock::now();
    reply.status = head.status;
    reply.retry_after = retry_after_in(head);
    return !stop.stop_requested();
  }

  bool on_body(std::string_view bytes) {
    last_byte = SteadyClock::now();
    if (streams()) return on_lines(bytes);
    if (reply.body.size() + bytes.size() > reply_bytes_max) {
      failure = "the reply has more than " + std::to_string(reply_bytes_max) + " bytes";
    } else if (last_byte - begin > timeouts.whole_reply) {
      failure = "the reply was not complete after " + format_seconds(timeouts.whole_reply);
    }
    if (failure.empty()) reply.body += bytes;
    return failure.empty();
  }

  // Catches what on_line throws, because an exception would break the state of httplib. send_with_retry() rethrows it.
  bool on_lines(std::string_view bytes) {
    try {
      const LineSplitter::Result result = lines.feed(bytes, *on_line);
      if (result == LineSplitter::Result::too_long)
        failure = "a line has more than " + std::to_string(line_bytes_max) + " bytes";
      ended = result == LineSplitter::Result::ended;
      return result == LineSplitter::Result::more && !stop.stop_requested();
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }
};

Client::Client(Credentials& credentials, ClientTimeouts timeouts) : credentials_(credentials), timeouts_(timeouts) {
  // httplib writes without MSG_NOSIGNAL, so SIGPIPE would end the process at a write to a closed connection.
  std::signal(SIGPIPE, SIG_IGN);
}

Client::~Client() = default;

ApiReply Client::call(const ApiRequest& request) {
  constexpr int pauses_max = 3;
  for (int pauses = 0;; ++pauses) {
    ApiReply reply = send_authenticated(request, nullptr, {});
    const bool busy = reply.status == 429 || reply.status == 503;
    if (!busy || !reply.retry_after || *reply.retry_after > timeouts_.retry_after_max || pauses == pauses_max)
      return reply;
    std::this_thread::sleep_for(*reply.retry_after);
  }
}

ApiReply Client::stream(const ApiRequest& request, const OnLine& on_line, const std::stop_token& stop) {
  if (stop.stop_requested()) return {};
  const BreakOnStop break_on_stop(breaker_, stop);
  return send_authenticated(request, &on_line, stop);
}

// Sends a request. If the server refuses the credentials (401), reads them again, and sends the request once more if
// they have changed.
ApiReply Client::send_authenticated(const ApiRequest& request, const OnLine* on_line, const std::stop_token& stop) {
  const Identity identity = credentials_.identity();
  ApiReply reply = send_with_retry(request, identity, on_line, stop);
  if (reply.status != 401) return reply;
  credentials_.discard(identity);
  const Identity next = credentials_.identity();
  return next == identity ? reply : send_with_retry(request, next, on_line, stop);
}

// Sends a request on the open connection, or on a new one. Sends a GET again on a new connection if a reused connection
// broke before the reply began: the server may have closed the idle connection at that moment.
ApiReply Client::send_with_retry(const ApiRequest& request, const Identity& identity, const OnLine* on_line,
                                 const std::stop_token& stop) {
  for (;;) {
    const bool is_reused = can_reuse(identity);
    if (!is_reused) open(identity);
    Exchange exchange(on_line, stop, timeouts_);
    const std::string failure = try_once(request, identity, exchange);
    if (failure.empty()) return exchange.reply;
    close();
    if (exchange.thrown) std::rethrow_exception(exchange.thrown);
    const bool stream_is_idle = exchange.streams() && exchange.is_idle() && !exchange.lines.has_partial_line();
    if (exchange.ended || stream_is_idle || stop.stop_requested()) {
      return {exchange.reply.status, "", exchange.reply.retry_after};
    }
    if (is_reused && request.method == "GET" && exchange.reply.status == 0 && !exchange.is_idle()) continue;
    throw Error(Blame::platform,
                credentials_.access().server + ": " + request.method + " " + request.path + ": " + failure);
  }
}

// Returns whether the open connection can be used for another request. If an idle connection has something to read, the
// server has closed it or has sent more than its replies, so it is of no further use.
bool Client::can_reuse(const Identity& identity) const {
  if (!http_ || http_->is_socket_open() == 0 || identity.certificate != certificate_) return false;
  pollfd idle{http_->socket(), POLLIN, 0};
  return poll(&idle, 1, 0) == 0;
}

void Client::open(const Identity& identity) {
  close();
  const Access& access = credentials_.access();
  if (access.tls) {
    const std::string& name = access.tls_server_name.empty() ? access.host : access.tls_server_name;
    auto https = std::make_unique<httplib::SSLClient>(name, access.port);
    set_up_tls(https->ssl_context(), access, identity, certificate_failure_);
    // OpenSSL checks the certificate in the handshake (tls.h). httplib's own check would come after our certificate was
    // sent, and would trust the machine's authorities in addition.
    https->enable_server_certificate_verification(false);
    if (name != access.host) {
      const std::string address = numeric_address(access);
      // Without an address httplib would connect to the name of the certificate.
      if (address.empty()) throw Error(Blame::platform, access.server + ": " + access.host + not_resolved);
      https->set_hostname_addr_map({{name, address}});
    }
    http_ = std::move(https);
  } else {
    http_ = std::make_unique<httplib::ClientImpl>(access.host, access.port);
  }
  http_->set_keep_alive(true);
  http_->set_tcp_nodelay(true);
  http_->set_url_encode(false);
  http_->set_connection_timeout(timeouts_.connect);
  http_->set_read_timeout(timeouts_.idle);
  http_->set_write_timeout(timeouts_.idle);
  certificate_ = identity.certificate;
}

void Client::close() {
  http_.reset();
  breaker_.detach();
}

// Sends the request once. Returns "", or why no complete reply came.
std::string Client::try_once(const ApiRequest& request, const Identity& identity, Exchange& exchange) {
  certificate_failure_.error.clear();
  tls_failure();  // clears older errors of OpenSSL
  const Access& access = credentials_.access();
  http_->set_socket_options([&](int socket) {
    exchange.connecting = true;
    enable_keepalive(socket);
    breaker_.attach(socket);
  });
  httplib::Request http_request;
  http_request.method = request.method;
  http_request.path = access.prefix + to_target(request);
  http_request.body = request.body;
  http_request.headers = {
      {"Host", host_and_port(access)}, {"User-Agent", "carrack-operator"}, {"Accept", request.accept}};
  if (!request.body.empty()) http_request.headers.emplace("Content-Type", request.content_type);
  if (!identity.token.empty()) http_request.headers.emplace("Authorization", "Bearer " + identity.token);
  http_request.response_handler = [&](const httplib::Response& head) { return exchange.on_head(head); };
  http_request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    return exchange.on_body({data, size});
  };
  httplib::Response received;
  httplib::Error error = httplib::Error::Success;
  if (!http_->send(http_request, received, error)) return describe_failure(error, exchange);
  exchange.on_head(received);  // httplib does not call response_handler if the reply has no body
  return exchange.lines.has_partial_line() ? "the stream ended in the middle of a line" : "";
}

std::string Client::describe_failure(httplib::Error error, const Exchange& exchange) const {
  const std::string tls = tls_failure();
  const std::string tls_detail = tls.empty() ? "" : " (" + tls + ")";
  if (!exchange.failure.empty()) return exchange.failure;
  if (!certificate_failure_.error.empty()) return "its certificate is not trusted: " + certificate_failure_.error;
  switch (error) {
    case httplib::Error::Connection:
      if (!exchange.connecting) return credentials_.access().host + not_resolved;
      return "it cannot be reached, or accepts no connections";
    case httplib::Error::ConnectionTimeout:
      return "no connection after " + format_seconds(timeouts_.connect);
    case httplib::Error::SSLConnection:
      return "the TLS handshake failed" + tls_detail;
    default:
      if (exchange.is_idle()) return "it sent nothing for " + format_seconds(timeouts_.idle);
      if (exchange.reply.status == 0) return "it closed the connection without a reply" + tls_detail;
      return "it closed the connection in the middle of its reply" + tls_detail;
  }
}

}  // namespace carrack::control
