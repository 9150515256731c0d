#include "tests/support/gcs/connection.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace carrack::tests {
namespace {

constexpr std::size_t longest_head = std::size_t{64} * 1024;
constexpr std::size_t piece_size = std::size_t{256} * 1024;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

sockaddr_in socket_address(const Address& address) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) {
    throw std::runtime_error("no address for " + address.host);
  }
  sockaddr_in first{};
  std::memcpy(&first, found->ai_addr, sizeof(first));
  freeaddrinfo(found);
  return first;
}

int stream_socket() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) fail("socket");
  return made;
}

// A small reply must not wait for the acknowledgement of the one before.
void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

void OpenSockets::add(int socket) {
  const MutexLock lock(mutex_);
  sockets_.insert(socket);
  if (is_shut_) ::shutdown(socket, SHUT_RDWR);
}

void OpenSockets::close(int socket) {
  // Under the lock: else shut() could hit a new socket of the same number.
  const MutexLock lock(mutex_);
  sockets_.erase(socket);
  ::close(socket);
}

void OpenSockets::shut() {
  const MutexLock lock(mutex_);
  is_shut_ = true;
  for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
}

Address address_from(const std::string& url) {
  constexpr std::string_view scheme = "http://";
  const std::size_t colon = url.rfind(':');
  Address address;
  const char* end = url.data() + url.size();
  if (!url.starts_with(scheme) || colon < scheme.size() ||
      std::from_chars(url.data() + colon + 1, end, address.port).ptr != end || colon + 1 == url.size()) {
    throw std::invalid_argument("'" + url + "' is not http://HOST:PORT");
  }
  address.host = url.substr(scheme.size(), colon - scheme.size());
  return address;
}

Connection::Connection(int socket, OpenSockets& sockets) : socket_(socket), sockets_(sockets) {
  send_at_once(socket_);
  sockets_.add(socket_);
}

Connection::Connection(const Address& address, std::chrono::seconds read_timeout, OpenSockets& sockets)
    : socket_(stream_socket()), sockets_(sockets) {
  const sockaddr_in to = socket_address(address);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) {
    const std::string peer = address.host + ":" + std::to_string(address.port);
    ::close(socket_);
    fail("cannot connect to " + peer);
  }
  const timeval limit{read_timeout.count(), 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  send_at_once(socket_);
  sockets_.add(socket_);
}

Connection::~Connection() {
  sockets_.close(socket_);
}

std::size_t Connection::read_some(char* into, std::size_t size) {
  if (!read_ahead_.empty()) {
    const std::size_t taken = read_ahead_.copy(into, size);
    read_ahead_.erase(0, taken);
    return taken;
  }
  while (true) {
    const ssize_t got = recv(socket_, into, size, 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return 0;
  }
}

bool Connection::fill() {
  std::array<char, std::size_t{16} * 1024> bytes;
  ssize_t got = 0;
  do {
    got = recv(socket_, bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  read_ahead_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> Connection::read_head() {
  while (true) {
    if (const std::size_t end = read_ahead_.find("\r\n\r\n"); end != std::string::npos) {
      std::string head = read_ahead_.substr(0, end + 4);
      read_ahead_.erase(0, end + 4);
      return head;
    }
    if (read_ahead_.size() > longest_head || !fill()) return std::nullopt;
  }
}

std::optional<std::string> Connection::read_line() {
  while (true) {
    if (const std::size_t end = read_ahead_.find("\r\n"); end != std::string::npos) {
      std::string line = read_ahead_.substr(0, end);
      read_ahead_.erase(0, end + 2);
      return line;
    }
    if (read_ahead_.size() > longest_head || !fill()) return std::nullopt;
  }
}

bool Connection::read_exactly(std::uint64_t size, const std::function<void(std::string_view)>& take) {
  std::vector<char> piece(static_cast<std::size_t>(std::min<std::uint64_t>(size, piece_size)));
  while (size > 0) {
    const std::size_t got =
        read_some(piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size, piece.size())));
    if (got == 0) return false;
    take({piece.data(), got});
    size -= got;
  }
  return true;
}

bool Connection::read_chunks(const std::function<void(std::string_view)>& take) {
  while (true) {
    const auto line = read_line();
    std::uint64_t size = 0;
    if (!line || std::from_chars(line->data(), line->data() + line->size(), size, 16).ec != std::errc()) return false;
    if (size > 0 && !read_exactly(size, take)) return false;
    const auto end = read_line();  // Behind a chunk, and behind the last one in place of trailers.
    if (!end || !end->empty()) return false;
    if (size == 0) return true;
  }
}

bool Connection::read_body(const Fields& headers, const std::function<void(std::string_view)>& take) {
  if (header(headers, "Transfer-Encoding") == "chunked") return read_chunks(take);
  const auto size = number_from(header(headers, "Content-Length").value_or("0"));
  return size && read_exactly(*size, take);
}

bool Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Listener::Listener(const Address& address, OpenSockets& sockets) : socket_(stream_socket()), sockets_(sockets) {
  const int on = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in at = socket_address(address);
  socklen_t size = sizeof(at);
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&at), size) != 0 || listen(socket_, SOMAXCONN) != 0 ||
      getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    ::close(socket_);
    fail("cannot listen on " + address.host + ":" + std::to_string(address.port));
  }
  port_ = ntohs(at.sin_port);
  sockets_.add(socket_);
}

Listener::~Listener() {
  sockets_.close(socket_);
}

std::optional<int> Listener::accept() {
  while (true) {
    const int made = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (made >= 0) return made;
    if (errno != EINTR && errno != ECONNABORTED) return std::nullopt;
  }
}

}  // namespace carrack::tests
