#include "trainer/comm/transport/frame_head.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "dataloader/check.h"

namespace carrack::train {

static_assert(std::endian::native == std::endian::little,
              "frames are little-endian, and floats are copied as they are");

std::string head_of(const wire::Message& message, std::size_t tail_bytes) {
  std::string head(frame_sizes_bytes, '\0');
  message.AppendToString(&head);
  const auto control_size = static_cast<std::uint32_t>(head.size() - frame_sizes_bytes);
  const std::uint64_t tail_size = tail_bytes;
  std::memcpy(head.data(), &control_size, sizeof control_size);
  std::memcpy(head.data() + sizeof control_size, &tail_size, sizeof tail_size);
  return head;
}

std::optional<FrameSizes> sizes_in(std::span<const std::byte, frame_sizes_bytes> bytes, const FrameLimits& limits) {
  std::uint32_t control_size = 0;
  std::uint64_t tail_size = 0;
  std::memcpy(&control_size, bytes.data(), sizeof control_size);
  std::memcpy(&tail_size, bytes.data() + sizeof control_size, sizeof tail_size);
  if (control_size > limits.control_bytes || tail_size > limits.tail_bytes) return std::nullopt;
  if (tail_size % sizeof(float) != 0) return std::nullopt;
  return FrameSizes{control_size, tail_size};
}

bool FramePartBuilder::begin(const std::string& control, std::size_t tail_bytes) {
  CHECK(is_complete());
  auto message = std::make_shared<wire::Message>();
  if (!message->ParseFromString(control)) return false;
  message_ = std::move(message);
  begin_ = 0;
  total_ = tail_bytes / sizeof(float);
  return true;
}

std::size_t FramePartBuilder::next_bytes() const {
  return std::min((total_ - begin_) * sizeof(float), piece_bytes_);
}

FramePart FramePartBuilder::take(std::vector<Piece::Block> blocks, std::shared_ptr<const void> owner) {
  CHECK(!is_complete());
  FramePart part(message_, Piece(begin_, total_, std::move(blocks), std::move(owner)));
  begin_ = part.piece.end();
  if (part.piece.is_last()) message_.reset();
  return part;
}

}  // namespace carrack::train
