#include "dataloader/http/page_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t connections_max = 64;
constexpr std::size_t request_bytes_max = 8192;
constexpr auto connection_time_max = std::chrono::seconds(2);

struct HostAndPort {
  std::string host;  // without the brackets of IPv6
  std::string port;
};

HostAndPort parse_address(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon != std::string::npos && colon > 0) {
    std::string host = address.substr(0, colon);
    if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    const std::string port = address.substr(colon + 1);
    const std::optional<int> number = number_in<int>(port);
    if (number >= 0 && number <= 65535) return {host, port};
  }
  throw Refused("not an ADDRESS:PORT such as 0.0.0.0:8080");
}

int listen_on(const std::string& address) {
  const auto [host, port] = parse_address(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) throw Refused(host + " is not an IP address");
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> place(found, &freeaddrinfo);
  const int listener = socket(place->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      bind(listener, place->ai_addr, place->ai_addrlen) == 0 && listen(listener, SOMAXCONN) == 0) {
    return listener;
  }
  const int failure = errno;
  if (listener >= 0) close(listener);
  throw Refused(std::strerror(failure));
}

int new_stop_event() {
  const int event = eventfd(0, EFD_CLOEXEC);
  if (event < 0) throw Error(std::string("cannot make an event: ") + std::strerror(errno));
  return event;
}

std::string to_http(const std::string& status, const Page& page) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + page.content_type +
         "\r\nContent-Length: " + std::to_string(page.body.size()) + "\r\nConnection: close\r\n\r\n" + page.body;
}

}  // namespace

PageServer::Descriptor::~Descriptor() {
  close(number_);
}

PageServer::PageServer(const std::string& address, Pages pages)
    : pages_(std::move(pages)),
      stop_event_(new_stop_event()),
      listener_(listen_on(address)),
      thread_([this] { serve(); }) {}

PageServer::~PageServer() {
  const std::uint64_t one = 1;
  CHECK_EQ(write(stop_event_.number(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  thread_.join();
  for (const Connection& connection : connections_) close(connection.socket);
}

int PageServer::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  CHECK_EQ(getsockname(listener_.number(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const bool is_v6 = address.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

void PageServer::serve() {
  for (;;) {
    std::vector<pollfd> polled{{stop_event_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}};
    for (const Connection& connection : connections_) {
      polled.push_back({connection.socket, static_cast<short>(connection.reply.empty() ? POLLIN : POLLOUT), 0});
    }
    if (poll(polled.data(), polled.size(), poll_timeout_ms()) < 0) continue;  // EINTR: a signal
    if (polled[0].revents != 0) return;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (polled[i + 2].revents == 0) continue;
      Connection& connection = connections_[i];
      connection.reply.empty() ? read_request(connection) : send_reply(connection);
    }
    close_finished();
    if (polled[1].revents != 0) accept_connections();
  }
}

// If there are connections_max connections, each new one closes the oldest. So the request of a new connection is read
// at once: if it has already arrived, it is answered before later connections can close its connection.
void PageServer::accept_connections() {
  for (std::size_t accepted = 0; accepted < connections_max; ++accepted) {
    const int socket = accept4(listener_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      // For other errors, file descriptors or memory have run out, and the client is still waiting. Without a pause
      // poll() would return immediately, again and again.
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return;
    }
    if (connections_.size() == connections_max) {
      close(connections_.front().socket);
      connections_.pop_front();
    }
    connections_.push_back({.socket = socket, .deadline = Clock::now() + connection_time_max});
    CHECK_LE(connections_.size(), connections_max);
    read_request(connections_.back());
  }
}

void PageServer::read_request(Connection& connection) const {
  std::array<char, 1024> bytes;
  const ssize_t size = recv(connection.socket, bytes.data(), bytes.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // After the reply the server waits until the client closes the connection (size 0). To close a socket that has
  // unread bytes would reset the connection, and the client could lose the reply.
  connection.is_finished = size <= 0;
  if (connection.is_finished || connection.has_replied) return;
  connection.request.append(bytes.data(), static_cast<std::size_t>(size));
  connection.is_finished = connection.request.size() > request_bytes_max;
  if (connection.is_finished || connection.request.find("\r\n\r\n") == std::string::npos) return;
  connection.reply = reply_to(connection.request);
  connection.has_replied = true;
  send_reply(connection);
}

void PageServer::send_reply(Connection& connection) {
  CHECK(!connection.reply.empty());
  const ssize_t sent = send(connection.socket, connection.reply.data(), connection.reply.size(), MSG_NOSIGNAL);
  if (sent < 0) {
    connection.is_finished = errno != EAGAIN && errno != EINTR;
    return;
  }
  connection.reply.erase(0, static_cast<std::size_t>(sent));
  if (connection.reply.empty()) shutdown(connection.socket, SHUT_WR);
}

void PageServer::close_finished() {
  const Clock::time_point now = Clock::now();
  std::erase_if(connections_, [&](const Connection& connection) {
    const bool ends = connection.is_finished || now >= connection.deadline;
    if (ends) close(connection.socket);
    return ends;
  });
}

std::string PageServer::reply_to(const std::string& request) const {
  const std::string line = request.substr(0, request.find("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  const bool is_http = first != std::string::npos && last > first && line.compare(last, 8, " HTTP/1.") == 0;
  if (!is_http) return to_http("400 Bad Request", {.body = "not an HTTP/1 request\n"});
  if (line.substr(0, first) != "GET") return to_http("405 Method Not Allowed", {.body = "only GET is served\n"});
  const std::string target = line.substr(first + 1, last - first - 1);
  const auto page = pages_.find(target.substr(0, target.find('?')));
  if (page == pages_.end()) return to_http("404 Not Found", {.body = "no such page\n"});
  try {
    const Page shown = page->second();
    return to_http(shown.status == 200 ? "200 OK" : "503 Service Unavailable", shown);
  } catch (const std::exception& error) {
    return to_http("500 Internal Server Error", {.body = std::string(error.what()) + "\n"});
  }
}

// Returns the time until the first deadline, or -1, which means no limit, if there are no connections.
int PageServer::poll_timeout_ms() const {
  if (connections_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(connections_.front().deadline - Clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

}  // namespace carrack::data
