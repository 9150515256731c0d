// The memory of one stream that two processes of a machine share: a ring for each direction, and what each side says
// about both. docs/formats/wire.md specifies it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/shared_ring.h"

namespace carrack::train {

enum class StreamSide { accepted, opened };

inline StreamSide other(StreamSide side) {
  return side == StreamSide::accepted ? StreamSide::opened : StreamSide::accepted;
}

// Both processes may use it until each has destroyed its object. Neither can make the other's smaller.
class SharedMemory {
 public:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t ring_bytes = std::size_t{2} << 20;
  static constexpr std::size_t size = page_bytes + 2 * ring_bytes;

  // For the side that accepted: makes the memory of a stream and passes it over the connection, on which so little was
  // sent that this does not block. Returns the reason if it cannot.
  static std::variant<SharedMemory, std::string> send(const MemberSocket& connection);
  // For the side that opened: waits for it. Accepts nothing but what send() passes.
  static std::variant<SharedMemory, std::string> receive(const MemberSocket& connection, OpeningDeadline deadline);

  SharedMemory(SharedMemory&& from) noexcept : base_(std::exchange(from.base_, nullptr)) {}
  SharedMemory& operator=(SharedMemory&& from) noexcept {
    std::swap(base_, from.base_);
    return *this;
  }
  ~SharedMemory();

  // What a side says, and the ring that it writes.
  SharedSide& side(StreamSide side) const;
  std::span<std::byte> ring(StreamSide side) const;

 private:
  explicit SharedMemory(std::byte* base) : base_(base) {}
  static std::variant<SharedMemory, std::string> map(int file);

  std::byte* base_;
};

}  // namespace carrack::train
