// Sockets between members, before their stream begins: listening, connecting, and the few bytes of an opening. An
// address is `unix:PATH`, `unix-abstract:NAME`, `HOST:PORT` or `dns:///HOST:PORT`, or `shm:PATH`, which is the socket
// of a path, too (member_endpoint.h).
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

// A socket that is closed with this object.
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
  // The caller closes it.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

struct Listening {
  MemberSocket socket;  // does not block
  std::string address;  // with the port that was chosen if the port asked for is 0
};
// Replaces a socket file that a process left behind. Throws Error if it cannot listen there.
Listening listen_at(const std::string& address);

// How long a member may take to confirm what was sent to it; then the connection ends.
constexpr int answer_time_max_ms = 5000;

// Call for each connection, on both sides: small frames are not held back, and a side that does not read for longer
// than answer_time_max_ms ends the connection.
void set_options(int socket);

// The other side of a connection that has not ended, for people: its IP address, or "this machine".
std::string peer_of(int socket);

// How long one side of a connection waits for the other, from the begin of the connection to the end of the opening.
constexpr auto opening_time_max = std::chrono::seconds(5);
using OpeningDeadline = std::chrono::steady_clock::time_point;

// How long one waits for the addresses of a name.
constexpr auto lookup_time_max = std::chrono::seconds(30);

struct Connected {
  MemberSocket socket;
  OpeningDeadline deadline;  // opening_time_max after the call of connect(2)
};
// Tries one of the addresses after the other. Returns a connection, or the reason why the last has none. `stop` ends
// the waits of these calls.
std::variant<Connected, std::string> connect_to(std::span<const data::Address> addresses, data::Stop& stop);
std::variant<Connected, std::string> connect_to(const std::string& address, data::Stop& stop);
// Returns false if there is nothing to read by `deadline`. At the end of a connection there is that.
bool wait_until_readable(const MemberSocket& socket, OpeningDeadline deadline);
// Reads or writes all of the bytes. Returns false if that is not done by `deadline`, or the connection has ended.
bool read_all(const MemberSocket& socket, std::span<std::uint8_t> into, OpeningDeadline deadline);
bool write_all(const MemberSocket& socket, std::span<const std::uint8_t> bytes, OpeningDeadline deadline);

}  // namespace carrack::train
