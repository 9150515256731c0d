#include "trainer/comm/transport/frame_codec.h"

#include <grpcpp/support/slice.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "dataloader/check.h"

namespace carrack::train {
namespace {

// Returns a slice that refers to some of the tail's values and keeps the whole tail alive.
grpc::Slice slice_of(const std::shared_ptr<const Tail>& tail, std::span<const float> values) {
  const auto release = [](void* user) { delete static_cast<std::shared_ptr<const Tail>*>(user); };
  // The cast is safe: gRPC takes a void*, but does not write to a slice that it sends.
  return grpc::Slice(const_cast<float*>(values.data()), values.size_bytes(), release,
                     new std::shared_ptr<const Tail>(tail));
}

}  // namespace

// The bytes of a received message, without those that were read.
class FrameReader::Message {
 public:
  // Takes the bytes out of `message`.
  explicit Message(grpc::ByteBuffer& message) : left_(message.Length()), is_ok_(message.Dump(slices_.get()).ok()) {
    message.Clear();
    for (const grpc::Slice& slice : *slices_) blocks_.push_back(std::as_bytes(std::span(slice.begin(), slice.size())));
  }

  bool is_ok() const { return is_ok_; }
  std::size_t left() const { return left_; }

  // `size` must be at most left().
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

  // Returns the unread bytes. No function but owner() may be called after that.
  std::vector<Piece::Block> take_rest() {
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(next_));
    return std::move(blocks_);
  }
  // Returns an owner of the bytes: they stay valid as long as a copy of it exists.
  std::shared_ptr<const void> owner() const { return slices_; }

 private:
  std::shared_ptr<std::vector<grpc::Slice>> slices_ = std::make_shared<std::vector<grpc::Slice>>();
  std::size_t left_;
  bool is_ok_;
  std::vector<Piece::Block> blocks_;  // the bytes of slices_; the block that is being read is without its read bytes
  std::size_t next_ = 0;              // the first block with unread bytes
};

std::vector<grpc::ByteBuffer> encode(const wire::Message& message, Tail tail) {
  constexpr std::size_t piece_floats = tail_piece_bytes / sizeof(float);
  const auto owner = std::make_shared<const Tail>(std::move(tail));
  std::span<const float> left = owner->values();
  std::vector<grpc::Slice> slices{grpc::Slice(head_of(message, left.size_bytes()))};
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
  return frame_sizes_bytes + limits.control_bytes + std::min(limits.tail_bytes, tail_piece_bytes);
}

std::optional<FramePart> FrameReader::add(grpc::ByteBuffer& message, const FrameLimits& limits) {
  Message received(message);
  if (!received.is_ok() || (parts_.is_complete() && !read_head(received, limits))) return std::nullopt;
  if (received.left() != parts_.next_bytes()) return std::nullopt;
  return parts_.take(received.take_rest(), received.owner());
}

// Returns false if the message does not begin a frame within the limits.
bool FrameReader::read_head(Message& received, const FrameLimits& limits) {
  std::array<std::byte, frame_sizes_bytes> bytes;
  if (received.left() < bytes.size()) return false;
  received.read(bytes.data(), bytes.size());
  const std::optional<FrameSizes> sizes = sizes_in(bytes, limits);
  if (!sizes || sizes->control_bytes > received.left()) return false;
  std::string control(sizes->control_bytes, '\0');
  received.read(control.data(), control.size());
  return parts_.begin(control, sizes->tail_bytes);
}

}  // namespace carrack::train
