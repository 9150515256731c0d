// The bytes of a frame (protocol/frame.h), as gRPC and shared memory both carry them: a head, followed by the floats of
// the tail. The head has the size of the message (4 bytes), the size of the tail (8 bytes), and the encoded message.
// docs/formats/wire.md specifies the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/transport/frame_limits.h"

namespace carrack::train {

// The number of bytes that the two sizes at the beginning of a head take.
inline constexpr std::size_t frame_sizes_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);

// Returns the head of a frame whose tail has this number of bytes.
std::string head_of(const wire::Message& message, std::size_t tail_bytes);

// The sizes in bytes of the encoded message, and of the tail.
struct FrameSizes {
  std::size_t control_bytes;
  std::size_t tail_bytes;
};

// Reads the two sizes at the beginning of a head. Returns nullopt if one is above its limit, or if the tail is not a
// whole number of floats.
std::optional<FrameSizes> sizes_in(std::span<const std::byte, frame_sizes_bytes> bytes, const FrameLimits& limits);

// Makes FrameParts of the bytes that a transport has received on one stream, one frame after the other. For each frame,
// call begin() with its encoded message, then take() for each piece of the tail, until is_complete(). Not thread-safe.
class FramePartBuilder {
 public:
  // Each piece of a tail has `piece_bytes` bytes, a multiple of sizeof(float); the last piece may have fewer.
  explicit FramePartBuilder(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {}

  // True before the first frame and after the last part of each frame: call begin() next. If false, call take() next.
  bool is_complete() const { return message_ == nullptr; }
  // Begins a frame. `tail_bytes` is the size of its whole tail, a multiple of sizeof(float). Returns false if `control`
  // is not an encoded wire::Message; no frame is begun then.
  bool begin(const std::string& control, std::size_t tail_bytes);
  // The number of bytes of the next piece, for take(); 0 for a frame without a tail.
  std::size_t next_bytes() const;
  // Returns the next part of the frame, also for a frame without a tail. The blocks together must have next_bytes()
  // bytes, and stay valid as long as `owner` lives; they are not copied.
  FramePart take(std::vector<Piece::Block> blocks, std::shared_ptr<const void> owner);

 private:
  std::size_t piece_bytes_;
  std::shared_ptr<const wire::Message> message_;  // message of the frame that is being read; null between two frames
  std::size_t begin_ = 0;                         // index of the next piece's first float in the tail
  std::size_t total_ = 0;                         // number of floats of the whole tail
};

}  // namespace carrack::train
