// The sockets of connections between members, until gRPC or shared memory uses them: functions to listen, to connect,
// and to exchange the few bytes of an opening (protocol/opening.h). An address is `unix:PATH`, `unix-abstract:NAME`,
// `HOST:PORT`, `dns:///HOST:PORT` or `shm:PATH`. The last one is also a Unix socket at a path (member_endpoint.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "dataloader/http/addresses.h"
#include "dataloader/http/stop.h"

namespace carrack::train {

// Owns a socket, or another file descriptor, and closes it. -1: none. Move assignment swaps those of both objects.
class MemberSocket {
 public:
  explicit MemberSocket(int descriptor) : descriptor_(descriptor) {}
  MemberSocket(MemberSocket&& other) noexcept : descriptor_(other.release()) {}
  MemberSocket& operator=(MemberSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~MemberSocket();

  int descriptor() const { return descriptor_; }
  // Returns the socket, which the caller must close.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// A socket that listens.
struct Listening {
  MemberSocket socket;  // nonblocking
  std::string address;  // the address that was passed; if its port was 0, with the chosen port
};
// Listens at `address`; accept(2) on the result accepts connections. Removes an existing socket file at a path first,
// since an earlier process may have left it. Throws Error with Blame::platform if it cannot listen there.
Listening listen_at(const std::string& address);

// The time in which a member must acknowledge data that was sent to it, or answer a ping. After that the connection
// ends.
constexpr int answer_time_max_ms = 5000;

// Call this for each connection, on both sides. Small frames are then sent without delay, and the connection ends if
// data is not acknowledged for answer_time_max_ms. No effect on a Unix socket.
void set_options(int socket);

// Returns a name of the other side of an open connection, for messages: its IP address without the port, or "this
// machine" for a Unix socket.
std::string peer_name(int socket);

// The maximum time that an opening may take, from the beginning of the connection.
constexpr auto opening_time_max = std::chrono::seconds(5);
using OpeningDeadline = std::chrono::steady_clock::time_point;

// The maximum time that looking up the addresses of a name may take.
constexpr auto lookup_time_max = std::chrono::seconds(30);

struct Connected {
  MemberSocket socket;
  OpeningDeadline deadline;  // when the opening must be complete: opening_time_max after the call of connect(2)
};
// Tries the addresses one after the other, each for at most opening_time_max. Returns a nonblocking connection with
// set_options(), or why the last attempt failed. Another thread can end the wait with `stop`. After a success `stop`
// still refers to the socket, and can end the connection, until the caller calls stop.watch(nullptr).
std::variant<Connected, std::string> connect_to(std::span<const data::Address> addresses, data::Stop& stop);
// Does the same for an address as text. For a host name it tries all IP addresses, which it looks up first, for at most
// lookup_time_max.
std::variant<Connected, std::string> connect_to(const std::string& address, data::Stop& stop);
// Returns false if there is nothing to read by `deadline`. The end of a connection counts as something to read.
bool wait_until_readable(const MemberSocket& socket, OpeningDeadline deadline);
// Reads or writes all of the bytes of a nonblocking socket. Returns false if `deadline` passes or the connection ends
// before that.
bool read_all(const MemberSocket& socket, std::span<std::uint8_t> into, OpeningDeadline deadline);
bool write_all(const MemberSocket& socket, std::span<const std::uint8_t> bytes, OpeningDeadline deadline);

}  // namespace carrack::train
