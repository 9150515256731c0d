#include "dataloader/http/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char closed[] = "closed the connection";

std::string error_text(int error) {
  return std::strerror(error);
}

// True if the system call that failed may succeed later.
bool is_retryable(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

// Returns how long to wait until the next address accepts a connection. `left` is what is left of the time limit, for
// `addresses` addresses. An equal share leaves time for the others. It is at least a fifth of the limit, because the
// kernel sends a lost packet again only after a second.
std::chrono::milliseconds time_for_one(std::chrono::milliseconds left, std::size_t addresses,
                                       std::chrono::milliseconds limit) {
  const auto share = left / static_cast<std::chrono::milliseconds::rep>(addresses);
  return std::max(share, std::min(left, limit / 5));
}

}  // namespace

Socket::Socket(SSL_CTX* context, HttpTimeouts timeouts, Stop* stop)
    : timeouts_(timeouts), context_(context), stop_(stop) {}

// Delegates to the constructor above, so that the destructor closes the connection if the rest of this one throws.
Socket::Socket(const Addresses& addresses, const Route& route, SSL_CTX* context, HttpTimeouts timeouts, Stop* stop)
    : Socket(context, timeouts, stop) {
  if (const auto* reason = std::get_if<std::string>(&addresses)) {
    fail(*reason);
    return;
  }
  const auto& all = std::get<std::vector<Address>>(addresses);
  const Clock::time_point end = Clock::now() + timeouts_.connect;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (failure_ == was_stopped || (i > 0 && left.count() <= 0)) return;
    failure_.clear();  // Forgets why the previous address could not be reached.
    if (!connect_to(all[i], time_for_one(left, all.size() - i, timeouts_.connect))) continue;
    if (route.proxy && !connect_through(*route.proxy, route.server)) return;
    if (route.server.tls) handshake(route.server.host);
    return;
  }
}

Socket::~Socket() {
  if (stop_ != nullptr) stop_->watch(nullptr);
  tls_.reset();
  if (socket_ >= 0) ::close(socket_);
}

bool Socket::connect_to(const Address& address, std::chrono::milliseconds timeout) {
  if (socket_ >= 0) {
    if (stop_ != nullptr) stop_->watch(nullptr);
    ::close(socket_);
  }
  socket_ = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return fail("cannot connect: " + error_text(errno));
  if (!set_stop(stop_)) return false;
  const auto* bytes = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::connect(socket_, bytes, address.size) != 0 && errno != EINPROGRESS) {
    return fail("cannot connect: " + error_text(errno));
  }
  if (!wait_for(POLLOUT, timeout)) return failure_ != was_stopped && fail("cannot connect: " + failure_);
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return fail("cannot connect: " + error_text(error));
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return true;
}

bool Socket::connect_through(const Proxy& proxy, const Server& server) {
  silence_ = timeouts_.connect;
  if (!write(connect_request(proxy, server))) return false;
  const std::string head = read_proxy_head();
  if (head.empty()) return false;
  if (const auto refusal = proxy_refusal(head)) {
    is_permanent_ = refusal->is_permanent;
    return fail(refusal->reason);
  }
  silence_ = timeouts_.silence;
  return true;
}

// Reads the proxy's reply up to its blank line. Reads byte by byte, because the bytes after the blank line are the
// server's. Returns an empty text after a failure.
std::string Socket::read_proxy_head() {
  constexpr std::size_t head_bytes_max = std::size_t{16} << 10;
  const Clock::time_point end = Clock::now() + timeouts_.connect;
  std::string head;
  for (char byte = 0; !head.ends_with("\r\n\r\n"); head += byte) {
    if (head.size() == head_bytes_max) fail("the head of its answer is longer than 16 KiB");
    if (Clock::now() >= end) fail("took longer than " + std::to_string(timeouts_.connect.count()) + " ms");
    if (read(std::as_writable_bytes(std::span(&byte, 1))) == 0) return "";
  }
  return head;
}

// The whole handshake must fit into the time limit for connecting.
bool Socket::handshake(const std::string& host) {
  tls_ = tls_session(context_, socket_, host);
  const Clock::time_point end = Clock::now() + timeouts_.connect;
  for (;;) {
    ::ERR_clear_error();
    const int result = SSL_do_handshake(tls_.get());
    if (result == 1) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return fail("TLS took longer than " + std::to_string(timeouts_.connect.count()) + " ms");
    if (!wait_for_tls(result, left)) {
      is_permanent_ = is_certificate_untrusted(tls_.get());
      return fail(failure_.empty() || failure_ == closed ? handshake_error(tls_.get()) : failure_);
    }
  }
}

std::size_t Socket::read(std::span<std::byte> into) {
  std::size_t size = 0;
  do {
    size = read_now(into);
  } while (size == 0 && wait_for_more());
  return size;
}

std::size_t Socket::read_now(std::span<std::byte> into) {
  if (!failure_.empty()) return 0;
  if (tls_) {
    std::size_t size = 0;
    ::ERR_clear_error();
    const int result = SSL_read_ex(tls_.get(), into.data(), into.size(), &size);
    if (result == 1) return count_bytes(size);
    set_awaited_events(result);
    return 0;
  }
  awaited_events_ = POLLIN;
  const ssize_t size = ::recv(socket_, into.data(), into.size(), 0);
  if (size > 0) return count_bytes(static_cast<std::size_t>(size));
  if (size == 0) closed_cleanly_ = true;
  if (size == 0) fail(closed);
  if (size < 0 && !is_retryable(errno)) fail(error_text(errno));
  return 0;
}

bool Socket::write(std::string_view bytes) {
  while (!bytes.empty() && failure_.empty()) {
    std::size_t size = 0;
    if (tls_) {
      ::ERR_clear_error();
      const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &size);
      if (result != 1) wait_for_tls(result, silence_);
    } else {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && !is_retryable(errno)) fail(error_text(errno));
      if (sent < 0) wait_for(POLLOUT, silence_);
      if (sent > 0) size = static_cast<std::size_t>(sent);
    }
    bytes.remove_prefix(count_bytes(size));
  }
  return failure_.empty();
}

std::string Socket::allow_reading_after_failed_write() {
  silence_ = std::chrono::milliseconds(0);
  return std::exchange(failure_, "");
}

std::size_t Socket::count_bytes(std::size_t size) {
  const Clock::time_point now = Clock::now();
  if (size == 0 || (now < timeouts_.deadline && pace_.add(size, now))) return size;
  fail(now >= timeouts_.deadline ? "took too long"
                                 : "slower than " + std::to_string(timeouts_.window_bytes_min) + " bytes in " +
                                       std::to_string(timeouts_.window.count()) + " ms");
  return 0;
}

bool Socket::is_idle() const {
  if (!failure_.empty() || (tls_ && SSL_has_pending(tls_.get()) == 1)) return false;
  char byte = 0;
  return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && is_retryable(errno);
}

bool Socket::set_stop(Stop* stop) {
  if (stop_ != nullptr && stop_ != stop) stop_->watch(nullptr);
  stop_ = stop;
  const auto end = [socket = socket_] { ::shutdown(socket, SHUT_RDWR); };
  return stop_ == nullptr || stop_->watch(end) || fail(was_stopped);
}

bool Socket::wait_for(short events, std::chrono::milliseconds timeout) {
  if (!failure_.empty()) return false;
  timeout = until_deadline(timeouts_, timeout);
  pollfd waited{socket_, events, 0};
  int ready = 0;
  do {
    ready = ::poll(&waited, 1, static_cast<int>(timeout.count()));
  } while (ready < 0 && errno == EINTR);
  if (stop_ != nullptr && stop_->stopped()) return fail(was_stopped);
  if (ready < 0) return fail(error_text(errno));
  return ready > 0 || fail("silent for " + std::to_string(timeout.count()) + " ms");
}

bool Socket::set_awaited_events(int result) {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      awaited_events_ = POLLIN;
      return true;
    case SSL_ERROR_WANT_WRITE:
      awaited_events_ = POLLOUT;
      return true;
    case SSL_ERROR_ZERO_RETURN:
      closed_cleanly_ = true;
      return fail(closed);
    default:
      return fail(closed);
  }
}

bool Socket::fail(const std::string& reason) {
  failure_ = reason;
  return false;
}

}  // namespace carrack::data
