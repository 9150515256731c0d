// What all transports between processes have in common of a frame as bytes: its head, which is the sizes of its control
// part and its tail and then the control part, and the pieces of the tail behind it. docs/formats/wire.md specifies the
// bytes.
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

// The bytes by which a head says both sizes.
inline constexpr std::size_t frame_sizes_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);

std::string head_of(const wire::Message& message, std::size_t tail_bytes);

struct FrameSizes {
  std::size_t control_bytes;
  std::size_t tail_bytes;
};

// nullopt if no frame within the limits has these sizes.
std::optional<FrameSizes> sizes_in(std::span<const std::byte, frame_sizes_bytes> bytes, const FrameLimits& limits);

// The parts of the frames of one stream, one frame after the other. Not thread-safe.
class FrameParts {
 public:
  // Each piece of a tail but the last has this many bytes, which are whole floats.
  explicit FrameParts(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {}

  // True if no frame has begun, or the last part of it was taken: begin() is to be called next, otherwise take().
  bool is_complete() const { return message_ == nullptr; }
  // Begins a frame. Returns false if the control part is none.
  bool begin(const std::string& control, std::size_t tail_bytes);
  // The bytes of the next piece; 0 for a frame without a tail.
  std::size_t next_bytes() const;
  // The next part of the frame. The blocks have next_bytes() bytes, and stay while `owner` lives.
  FramePart take(std::vector<Piece::Block> blocks, std::shared_ptr<const void> owner);

 private:
  std::size_t piece_bytes_;
  std::shared_ptr<const wire::Message> message_;  // of the frame that is not complete; null between two frames
  std::size_t begin_ = 0;                         // of the next piece
  std::size_t total_ = 0;                         // floats of the whole tail
};

}  // namespace carrack::train
