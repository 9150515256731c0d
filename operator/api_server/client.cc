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

// A server that is gone without a word is noticed after half a minute, whether we wait for it or write to it.
void watch_the_other_end(int socket) {
  const auto set = [&](int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

// Retry-After as a number, as the API server writes it; a date is not obeyed.
std::optional<std::chrono::seconds> retry_after_in(const httplib::Response& head) {
  const std::string text = head.get_header_value("Retry-After");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string seconds_text(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  if (time.count() % 1000 != 0) text += "." + std::to_string(time.count() % 1000 / 100);
  return text + " s";
}

constexpr const char* no_address = " is no address that can be found";

std::string host_and_port(const Access& access) {
  const std::string host = access.host.find(':') == std::string::npos ? access.host : "[" + access.host + "]";
  return host + ":" + std::to_string(access.port);
}

// httplib takes its host for both the name that TLS asks for and the address, unless the address is given as a number.
std::string numeric_address(const Access& access) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(access.host.c_str(), nullptr, &wanted, &found) != 0) return "";
  std::array<char, NI_MAXHOST> text{};
  getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  freeaddrinfo(found);
  return text.data();
}

}  // namespace

// One try of a request, and what came of it.
struct Client::Exchange {
  Exchange(const OnLine* to_call, const std::stop_token& stop_token, const Patience& limits)
      : on_line(to_call), stop(stop_token), patience(limits) {}

  const OnLine* on_line;  // null: the body is kept
  const std::stop_token& stop;
  const Patience& patience;
  SteadyClock::time_point began = SteadyClock::now();
  SteadyClock::time_point heard = began;
  Lines lines{longest_line};
  ApiReply reply;
  bool connecting = false;    // a connection was begun
  bool ended = false;         // on_line wanted no more
  std::string failure;        // that we ended it for
  std::exception_ptr thrown;  // by on_line

  bool is_silent() const { return SteadyClock::now() - heard >= patience.silence; }
  bool streams() const { return on_line != nullptr && is_success(reply); }

  // False ends the try.
  bool take_head(const httplib::Response& head) {
    heard = SteadyClock::now();
    reply.status = head.status;
    reply.retry_after = retry_after_in(head);
    return !stop.stop_requested();
  }

  bool take(std::string_view bytes) {
    heard = SteadyClock::now();
    if (streams()) return take_lines(bytes);
    if (reply.body.size() + bytes.size() > largest_reply) {
      failure = "the reply has more than " + std::to_string(largest_reply) + " bytes";
    } else if (heard - began > patience.call) {
      failure = "the reply was not whole after " + seconds_text(patience.call);
    }
    if (failure.empty()) reply.body += bytes;
    return failure.empty();
  }

  // httplib's own state does not survive an exception that passes through it.
  bool take_lines(std::string_view bytes) {
    try {
      const Lines::Fed fed = lines.feed(bytes, *on_line);
      if (fed == Lines::Fed::too_long) failure = "a line has more than " + std::to_string(longest_line) + " bytes";
      ended = fed == Lines::Fed::ended;
      return fed == Lines::Fed::on && !stop.stop_requested();
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }
};

Client::Client(Credentials& credentials, Patience patience) : credentials_(credentials), patience_(patience) {
  // httplib writes without MSG_NOSIGNAL: a connection that the other end closed would end the process.
  std::signal(SIGPIPE, SIG_IGN);
}

Client::~Client() = default;

ApiReply Client::call(const ApiRequest& request) {
  constexpr int most_pauses = 3;
  for (int pauses = 0;; ++pauses) {
    ApiReply reply = answered(request, nullptr, {});
    const bool busy = reply.status == 429 || reply.status == 503;
    if (!busy || !reply.retry_after || *reply.retry_after > patience_.pause || pauses == most_pauses) return reply;
    std::this_thread::sleep_for(*reply.retry_after);
  }
}

ApiReply Client::stream(const ApiRequest& request, const OnLine& on_line, const std::stop_token& stop) {
  if (stop.stop_requested()) return {};
  const BrokenBy broken_by(breaker_, stop);
  return answered(request, &on_line, stop);
}

ApiReply Client::answered(const ApiRequest& request, const OnLine* on_line, const std::stop_token& stop) {
  const Identity identity = credentials_.identity();
  ApiReply reply = sent(request, identity, on_line, stop);
  if (reply.status != 401) return reply;
  credentials_.refused(identity);
  const Identity next = credentials_.identity();
  return next == identity ? reply : sent(request, next, on_line, stop);
}

ApiReply Client::sent(const ApiRequest& request, const Identity& identity, const OnLine* on_line,
                      const std::stop_token& stop) {
  for (;;) {
    const bool kept = is_kept(identity);
    if (!kept) open(identity);
    Exchange exchange(on_line, stop, patience_);
    const std::string failure = try_once(request, identity, exchange);
    if (failure.empty()) return exchange.reply;
    close();
    if (exchange.thrown) std::rethrow_exception(exchange.thrown);
    const bool fell_silent = exchange.streams() && exchange.is_silent() && !exchange.lines.in_a_line();
    if (exchange.ended || fell_silent || stop.stop_requested()) {
      return {exchange.reply.status, "", exchange.reply.retry_after};
    }
    if (kept && request.method == "GET" && exchange.reply.status == 0 && !exchange.is_silent()) continue;
    throw Error(Blame::platform,
                credentials_.access().server + ": " + request.method + " " + request.path + ": " + failure);
  }
}

// An idle connection with something to read has been closed, or has lost its place in the replies.
bool Client::is_kept(const Identity& identity) const {
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
    set_up_tls(https->ssl_context(), access, identity, verdict_);
    // httplib would trust the machine's authorities too, and look at the certificate after it has shown ours.
    https->enable_server_certificate_verification(false);
    if (name != access.host) {
      const std::string address = numeric_address(access);
      // httplib would go to where the certificate's name leads.
      if (address.empty()) throw Error(Blame::platform, access.server + ": " + access.host + no_address);
      https->set_hostname_addr_map({{name, address}});
    }
    http_ = std::move(https);
  } else {
    http_ = std::make_unique<httplib::ClientImpl>(access.host, access.port);
  }
  http_->set_keep_alive(true);
  http_->set_tcp_nodelay(true);
  http_->set_url_encode(false);
  http_->set_connection_timeout(patience_.connect);
  http_->set_read_timeout(patience_.silence);
  http_->set_write_timeout(patience_.silence);
  certificate_ = identity.certificate;
}

void Client::close() {
  http_.reset();
  breaker_.drop();
}

// Empty, or why there is no whole reply.
std::string Client::try_once(const ApiRequest& request, const Identity& identity, Exchange& exchange) {
  verdict_.why.clear();
  tls_failure();
  const Access& access = credentials_.access();
  http_->set_socket_options([&](int socket) {
    exchange.connecting = true;
    watch_the_other_end(socket);
    breaker_.take(socket);
  });
  httplib::Request sent;
  sent.method = request.method;
  sent.path = access.prefix + target_of(request);
  sent.body = request.body;
  sent.headers = {{"Host", host_and_port(access)}, {"User-Agent", "carrack-operator"}, {"Accept", request.accept}};
  if (!request.body.empty()) sent.headers.emplace("Content-Type", request.content_type);
  if (!identity.token.empty()) sent.headers.emplace("Authorization", "Bearer " + identity.token);
  sent.response_handler = [&](const httplib::Response& head) { return exchange.take_head(head); };
  sent.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    return exchange.take({data, size});
  };
  httplib::Response received;
  httplib::Error error = httplib::Error::Success;
  if (!http_->send(sent, received, error)) return failure_of(error, exchange);
  exchange.take_head(received);  // httplib shows no head of a reply that has no body
  return exchange.lines.in_a_line() ? "the stream ended in the middle of a line" : "";
}

std::string Client::failure_of(httplib::Error error, const Exchange& exchange) const {
  const std::string tls = tls_failure();
  const std::string in_words = tls.empty() ? "" : " (" + tls + ")";
  if (!exchange.failure.empty()) return exchange.failure;
  if (!verdict_.why.empty()) return "its certificate is not trusted: " + verdict_.why;
  switch (error) {
    case httplib::Error::Connection:
      if (!exchange.connecting) return credentials_.access().host + no_address;
      return "it cannot be reached, or takes no connections";
    case httplib::Error::ConnectionTimeout:
      return "no connection after " + seconds_text(patience_.connect);
    case httplib::Error::SSLConnection:
      return "no TLS with it" + in_words;
    default:
      if (exchange.is_silent()) return "it was silent for " + seconds_text(patience_.silence);
      if (exchange.reply.status == 0) return "it closed the connection without a reply" + in_words;
      return "it closed the connection in the middle of its reply" + in_words;
  }
}

}  // namespace carrack::control
