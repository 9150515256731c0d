// SharedMemory: the memory through which two processes of one machine exchange frames: a ring of 2 MiB for each
// direction, and counters of each side (shared_ring.h). One process makes it and passes its descriptor (memfd) to the
// other over a Unix socket. docs/formats/wire.md specifies it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/shared_ring.h"

namespace carrack::train {

// Which process of a stream: the one that accepted the connection, or the one that opened it.
enum class StreamSide { accepted, opened };

inline StreamSide other(StreamSide side) {
  return side == StreamSide::accepted ? StreamSide::opened : StreamSide::accepted;
}

// Owns the mapping of the memory; the other process has its own mapping. Neither process can resize the memory, so an
// access cannot fail.
class SharedMemory {
 public:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t ring_bytes = std::size_t{2} << 20;
  static constexpr std::size_t size = page_bytes + 2 * ring_bytes;

  // For the side that accepted: makes the memory of a stream and passes it over the connection, directly after the
  // opening (protocol/opening.h). Does not block. If it fails, returns the reason.
  static std::variant<SharedMemory, std::string> send(const MemberSocket& connection);
  // For the side that opened: waits until `deadline` for the memory that send() passes. If none arrives, or it is not
  // as send() makes it, returns the reason.
  static std::variant<SharedMemory, std::string> receive(const MemberSocket& connection, OpeningDeadline deadline);

  SharedMemory(SharedMemory&& from) noexcept : base_(std::exchange(from.base_, nullptr)) {}
  SharedMemory& operator=(SharedMemory&& from) noexcept {
    std::swap(base_, from.base_);
    return *this;
  }
  ~SharedMemory();

  // Return the counters that `side` writes, and the ring that it writes. They are valid as long as this object.
  SharedSide& side(StreamSide side) const;
  std::span<std::byte> ring(StreamSide side) const;

 private:
  explicit SharedMemory(std::byte* base) : base_(base) {}
  static std::variant<SharedMemory, std::string> map(int file);

  std::byte* base_;
};

}  // namespace carrack::train
