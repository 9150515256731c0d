// The bytes of a frame in all transports between processes: a head, followed by the pieces of the tail. The head is the
// sizes of control part and tail, followed by the control part. docs/formats/wire.md specifies the bytes.
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

// Returns the head: both sizes, and the encoded message.
std::string head_of(const wire::Message& message, std::size_t tail_bytes);

struct FrameSizes {
  std::size_t control_bytes;
  std::size_t tail_bytes;
};

// Reads the two sizes. Returns nullopt if one is above its limit, or if the tail is not a whole number of floats.
std::optional<FrameSizes> sizes_in(std::span<const std::byte, frame_sizes_bytes> bytes, const FrameLimits& limits);

// Makes the parts of the frames of one stream, one frame after the other. Not thread-safe.
class FrameParts {
 public:
  // Each piece of a tail has `piece_bytes` bytes, a multiple of sizeof(float); the last piece may have fewer.
  explicit FrameParts(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {}

  // True before the first frame and after the last part of each frame: begin() must be called next, otherwise take().
  bool is_complete() const { return message_ == nullptr; }
  // Begins a frame. Returns false if `control` is not an encoded wire::Message; no frame is begun then.
  bool begin(const std::string& control, std::size_t tail_bytes);
  // The number of bytes of the next piece, for take(); 0 for a frame without a tail.
  std::size_t next_bytes() const;
  // Returns the next part of the frame. The blocks together must have next_bytes() bytes, and stay valid as long as
  // `owner` lives; they are not copied.
  FramePart take(std::vector<Piece::Block> blocks, std::shared_ptr<const void> owner);

 private:
  std::size_t piece_bytes_;
  std::shared_ptr<const wire::Message> message_;  // message of the frame that is being read; null between two frames
  std::size_t begin_ = 0;                         // index of the next piece's first float in the tail
  std::size_t total_ = 0;                         // number of floats of the whole tail
};

}  // namespace carrack::train
