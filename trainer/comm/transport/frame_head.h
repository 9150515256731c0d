// The bytes of a frame, as all transports between processes have them: a head, followed by the pieces of the tail. The
// head is the sizes of control part and tail, followed by the control part. docs/formats/wire.md specifies the bytes.
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

// The bytes of both sizes at the beginning of a head.
inline constexpr std::size_t frame_sizes_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);

// Returns the head: both sizes, and the encoded message.
std::string head_of(const wire::Message& message, std::size_t tail_bytes);

struct FrameSizes {
  std::size_t control_bytes;
  std::size_t tail_bytes;
};

// Returns nullopt if a size is above its limit, or the tail is not a whole number of floats.
std::optional<FrameSizes> sizes_in(std::span<const std::byte, frame_sizes_bytes> bytes, const FrameLimits& limits);

// Makes the parts of the frames of one stream, one frame after the other. Not thread-safe.
class FrameParts {
 public:
  // Each piece of a tail except the last has `piece_bytes` bytes, a multiple of sizeof(float).
  explicit FrameParts(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {}

  // True before the first frame and after the last part of each frame. Call begin() then, and take() otherwise.
  bool is_complete() const { return message_ == nullptr; }
  // Begins a frame. Returns false if `control` is not an encoded wire::Message.
  bool begin(const std::string& control, std::size_t tail_bytes);
  // The bytes of the piece that take() needs next; 0 for a frame without a tail.
  std::size_t next_bytes() const;
  // Returns the next part of the frame. The blocks must have next_bytes() bytes, and stay valid while `owner` lives.
  FramePart take(std::vector<Piece::Block> blocks, std::shared_ptr<const void> owner);

 private:
  std::size_t piece_bytes_;
  std::shared_ptr<const wire::Message> message_;  // of the frame that is being read; null between two frames
  std::size_t begin_ = 0;                         // of the next piece
  std::size_t total_ = 0;                         // floats of the whole tail
};

}  // namespace carrack::train
