#include "trainer/comm/transport/member_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "dataloader/http/addresses.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;
using data::Address;

constexpr std::string_view path_prefixes[] = {"unix:", "shm:"};
constexpr std::string_view abstract_prefix = "unix-abstract:";
constexpr std::string_view dns_prefix = "dns:///";

std::string error_text(int error) {
  return std::strerror(error);
}

// Returns the path of a socket file; empty if the address is not a path.
std::string path_of(const std::string& address) {
  for (const std::string_view prefix : path_prefixes) {
    if (address.starts_with(prefix)) return address.substr(prefix.size());
  }
  return "";
}

// Returns nullopt for a network address.
std::optional<data::Addresses> unix_address(const std::string& address) {
  std::string name = path_of(address);
  if (address.starts_with(abstract_prefix)) name = '\0' + address.substr(abstract_prefix.size());
  if (name.empty()) return std::nullopt;
  Address made;
  auto& place = reinterpret_cast<sockaddr_un&>(made.bytes);
  place.sun_family = AF_UNIX;
  if (name.size() >= sizeof place.sun_path) return "the address is too long";
  std::ranges::copy(name, place.sun_path);
  // The length includes the 0 at the end of a path. An abstract name has no such 0.
  made.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (name.front() == '\0' ? 0 : 1));
  return std::vector{made};
}

data::Server server_of(std::string address) {
  if (address.starts_with(dns_prefix)) address.erase(0, dns_prefix.size());
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {.host = address, .port = "", .name = address};
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {.host = host, .port = address.substr(colon + 1), .name = address};
}

// Returns the timeout for poll(): 0 once the deadline has passed.
int milliseconds_until(OpeningDeadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

bool wait_for(int socket, short events, OpeningDeadline deadline) {
  pollfd waited{socket, events, 0};
  int ready = 0;
  do {
    ready = poll(&waited, 1, milliseconds_until(deadline));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool is_retryable(int error) {
  return error == EAGAIN || error == EINTR;
}

std::variant<Connected, std::string> connect_to_one(const Address& address, data::Stop& stop) {
  MemberSocket made(socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int socket = made.descriptor();
  if (socket < 0) return error_text(errno);
  if (!stop.watch([socket] { shutdown(socket, SHUT_RDWR); })) return data::was_stopped;
  const OpeningDeadline deadline = Clock::now() + opening_time_max;
  const auto* bytes = reinterpret_cast<const sockaddr*>(&address.bytes);
  int error = connect(socket, bytes, address.size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    error = ETIMEDOUT;
    if (wait_for(socket, POLLOUT, deadline)) getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0) {
    set_options(socket);
    return Connected{std::move(made), deadline};
  }
  stop.watch(nullptr);
  return stop.stopped() ? data::was_stopped : error_text(error);
}

// A process that was killed leaves its socket file, and no process can listen at a path where a file exists.
void remove_socket_file(const std::string& path) {
  struct stat found {};
  if (!path.empty() && lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) unlink(path.c_str());
}

int port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Error cannot_listen(const std::string& address, const std::string& why) {
  return Error(Blame::platform, "cannot listen at " + address + ": " + why);
}

}  // namespace

MemberSocket::~MemberSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string peer_name(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    const void* bytes = address.ss_family == AF_INET6
                            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr)
                            : &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    if (inet_ntop(address.ss_family, bytes, text.data(), text.size()) != nullptr) return text.data();
  }
  return "this machine";
}

void set_options(int socket) {
  const int on = 1;
  // A Unix socket has no such options: both calls fail for it, without harm.
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &answer_time_max_ms, sizeof answer_time_max_ms);
}

Listening listen_at(const std::string& address) {
  const std::optional<data::Addresses> local = unix_address(address);
  const data::Addresses found = local ? *local : data::addresses_of(server_of(address));
  if (const auto* why = std::get_if<std::string>(&found)) throw cannot_listen(address, *why);
  remove_socket_file(path_of(address));
  const Address& place = std::get<std::vector<Address>>(found).front();
  MemberSocket listener(socket(place.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (listener.descriptor() < 0) throw cannot_listen(address, error_text(errno));
  const int on = 1;
  setsockopt(listener.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener.descriptor(), reinterpret_cast<const sockaddr*>(&place.bytes), place.size) != 0 ||
      listen(listener.descriptor(), SOMAXCONN) != 0) {
    throw cannot_listen(address, error_text(errno));
  }
  if (place.bytes.ss_family == AF_UNIX) return {std::move(listener), address};
  const std::string host = address.substr(0, address.rfind(':') + 1);
  const std::string port = std::to_string(port_of(listener.descriptor()));
  return {std::move(listener), host + port};
}

std::variant<Connected, std::string> connect_to(std::span<const Address> addresses, data::Stop& stop) {
  std::variant<Connected, std::string> made = "it has no address";
  for (const Address& address : addresses) {
    made = connect_to_one(address, stop);
    if (std::holds_alternative<Connected>(made)) break;
  }
  return made;
}

std::variant<Connected, std::string> connect_to(const std::string& address, data::Stop& stop) {
  const std::optional<data::Addresses> local = unix_address(address);
  const data::Addresses found =
      local ? *local : data::AddressLookup(server_of(address), data::addresses_of).addresses(lookup_time_max, &stop);
  if (const auto* why = std::get_if<std::string>(&found)) return *why;
  return connect_to(std::get<std::vector<Address>>(found), stop);
}

bool wait_until_readable(const MemberSocket& socket, OpeningDeadline deadline) {
  return wait_for(socket.descriptor(), POLLIN, deadline);
}

bool read_all(const MemberSocket& socket, std::span<std::uint8_t> into, OpeningDeadline deadline) {
  while (!into.empty()) {
    const ssize_t size = recv(socket.descriptor(), into.data(), into.size(), 0);
    if (size == 0 || (size < 0 && !is_retryable(errno))) return false;
    if (size > 0) {
      into = into.subspan(static_cast<std::size_t>(size));
    } else if (!wait_for(socket.descriptor(), POLLIN, deadline)) {
      return false;
    }
  }
  return true;
}

bool write_all(const MemberSocket& socket, std::span<const std::uint8_t> bytes, OpeningDeadline deadline) {
  while (!bytes.empty()) {
    const ssize_t size = send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && !is_retryable(errno)) return false;
    if (size > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(size));
    } else if (!wait_for(socket.descriptor(), POLLOUT, deadline)) {
      return false;
    }
  }
  return true;
}

}  // namespace carrack::train
