#include "trainer/comm/transport/frame_codec.h"

#include <grpcpp/support/slice.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "dataloader/check.h"

namespace carrack::train {
namespace {

static_assert(std::endian::native == std::endian::little,
              "frames are little-endian, and floats are copied as they are");

// The sizes of the control part and of the whole tail.
constexpr std::size_t sizes_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);

// A slice that refers to some of the tail's values and keeps all of them alive.
grpc::Slice slice_of(const std::shared_ptr<const Tail>& tail, std::span<const float> values) {
  const auto release = [](void* user) { delete static_cast<std::shared_ptr<const Tail>*>(user); };
  // The cast is safe: gRPC takes a void*, but does not write to a slice that it sends.
  return grpc::Slice(const_cast<float*>(values.data()), values.size_bytes(), release,
                     new std::shared_ptr<const Tail>(tail));
}

}  // namespace

// A message that was received: its bytes, from the first one that is not read.
class FrameReader::Message {
 public:
  // `message` is empty afterwards.
  explicit Message(grpc::ByteBuffer& message) : left_(message.Length()), is_ok_(message.Dump(slices_.get()).ok()) {
    message.Clear();
    for (const grpc::Slice& slice : *slices_) blocks_.push_back(std::as_bytes(std::span(slice.begin(), slice.size())));
  }

  bool is_ok() const { return is_ok_; }
  std::size_t left() const { return left_; }

  // There must be as many bytes left.
  void read(void* destination, std::size_t size) {
    CHECK_LE(size, left_);
    left_ -= size;
    auto* into = static_cast<std::byte*>(destination);
    while (size > 0) {
      Piece::Block& block = blocks_.at(next_);
      const std::size_t part = std::min(size, block.size());
      std::memcpy(into, block.data(), part);
      into += part;
      size -= part;
      block = block.subspan(part);
      if (block.empty()) ++next_;
    }
  }

  // All that is left, as a piece.
  Piece take_rest(std::size_t begin, std::size_t total) {
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(next_));
    return {begin, total, std::move(blocks_), std::move(slices_)};
  }

 private:
  std::shared_ptr<std::vector<grpc::Slice>> slices_ = std::make_shared<std::vector<grpc::Slice>>();
  std::size_t left_;
  bool is_ok_;
  std::vector<Piece::Block> blocks_;  // of the slices
  std::size_t next_ = 0;              // the first block that is not read
};

std::vector<grpc::ByteBuffer> encode(const wire::Message& message, Tail tail) {
  constexpr std::size_t piece_floats = tail_piece_bytes / sizeof(float);
  const auto owner = std::make_shared<const Tail>(std::move(tail));
  std::span<const float> left = owner->values();
  std::string head(sizes_bytes, '\0');
  message.AppendToString(&head);
  const auto control_bytes = static_cast<std::uint32_t>(head.size() - sizes_bytes);
  const std::uint64_t tail_bytes = left.size_bytes();
  std::memcpy(head.data(), &control_bytes, sizeof control_bytes);
  std::memcpy(head.data() + sizeof control_bytes, &tail_bytes, sizeof tail_bytes);

  std::vector<grpc::Slice> slices{grpc::Slice(head)};
  std::vector<grpc::ByteBuffer> messages;
  do {
    const std::span<const float> piece = left.first(std::min(left.size(), piece_floats));
    if (!piece.empty()) slices.push_back(slice_of(owner, piece));
    messages.emplace_back(slices.data(), slices.size());
    slices.clear();
    left = left.subspan(piece.size());
  } while (!left.empty());
  return messages;
}

std::size_t message_bytes_max(const FrameLimits& limits) {
  return sizes_bytes + limits.control_bytes + std::min(limits.tail_bytes, tail_piece_bytes);
}

std::optional<FramePart> FrameReader::add(grpc::ByteBuffer& message, const FrameLimits& limits) {
  Message received(message);
  if (!received.is_ok() || (!message_ && !read_head(received, limits))) return std::nullopt;
  const std::size_t floats = std::min(total_ - begin_, tail_piece_bytes / sizeof(float));
  if (received.left() != floats * sizeof(float)) return std::nullopt;
  FramePart part(message_, received.take_rest(std::exchange(begin_, begin_ + floats), total_));
  if (part.piece.is_last()) message_.reset();
  return part;
}

// False if the message is not the first one of a frame.
bool FrameReader::read_head(Message& received, const FrameLimits& limits) {
  if (received.left() < sizes_bytes) return false;
  std::uint32_t control_bytes = 0;
  std::uint64_t tail_bytes = 0;
  received.read(&control_bytes, sizeof control_bytes);
  received.read(&tail_bytes, sizeof tail_bytes);
  if (control_bytes > received.left() || control_bytes > limits.control_bytes) return false;
  if (tail_bytes % sizeof(float) != 0 || tail_bytes > limits.tail_bytes) return false;
  std::string control(control_bytes, '\0');
  received.read(control.data(), control_bytes);
  auto message = std::make_shared<wire::Message>();
  if (!message->ParseFromString(control)) return false;
  message_ = std::move(message);
  begin_ = 0;
  total_ = tail_bytes / sizeof(float);
  return true;
}

}  // namespace carrack::train
