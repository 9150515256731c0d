#include "trainer/comm/transport/frame_codec.h"

#include <grpcpp/support/slice.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
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

// The slices of a message, which are freed as they are read.
class FrameReader::Slices {
 public:
  // `message` is empty afterwards.
  explicit Slices(grpc::ByteBuffer& message) : left_(message.Length()), is_ok_(message.Dump(&slices_).ok()) {
    message.Clear();
  }

  bool is_ok() const { return is_ok_; }
  std::size_t left() const { return left_; }
  // There must be as many bytes left.
  void read(void* destination, std::size_t size) {
    CHECK_LE(size, left_);
    left_ -= size;
    auto* into = static_cast<char*>(destination);
    while (size > 0) {
      grpc::Slice& slice = slices_.at(next_);
      const std::size_t part = std::min(size, slice.size() - offset_);
      std::memcpy(into, slice.begin() + offset_, part);
      into += part;
      size -= part;
      offset_ += part;
      if (offset_ < slice.size()) continue;
      slice = grpc::Slice();
      ++next_;
      offset_ = 0;
    }
  }

 private:
  std::vector<grpc::Slice> slices_;
  std::size_t left_;
  bool is_ok_;
  std::size_t next_ = 0;
  std::size_t offset_ = 0;  // in the next slice
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

FrameReader::State FrameReader::add(grpc::ByteBuffer& message, const FrameLimits& limits) {
  Slices slices(message);
  if (!slices.is_ok() || !(message_ ? read_piece(slices) : read_head(slices, limits))) return State::invalid;
  return tail_.size() == floats_ ? State::complete : State::incomplete;
}

// False if the message is not the first one of a frame.
bool FrameReader::read_head(Slices& slices, const FrameLimits& limits) {
  if (slices.left() < sizes_bytes) return false;
  std::uint32_t control_bytes = 0;
  std::uint64_t tail_bytes = 0;
  slices.read(&control_bytes, sizeof control_bytes);
  slices.read(&tail_bytes, sizeof tail_bytes);
  if (control_bytes > slices.left() || control_bytes > limits.control_bytes) return false;
  if (tail_bytes % sizeof(float) != 0 || tail_bytes > limits.tail_bytes) return false;
  std::string control(control_bytes, '\0');
  slices.read(control.data(), control_bytes);
  message_.emplace();
  if (!message_->ParseFromString(control)) return false;
  floats_ = tail_bytes / sizeof(float);
  tail_.reserve(floats_);
  return floats_ == 0 ? slices.left() == 0 : read_piece(slices);
}

// False if the rest of the message is not the next piece of the tail.
bool FrameReader::read_piece(Slices& slices) {
  const std::size_t floats = std::min(floats_ - tail_.size(), tail_piece_bytes / sizeof(float));
  if (floats == 0 || slices.left() != floats * sizeof(float)) return false;
  const std::size_t before = tail_.size();
  tail_.resize(before + floats);
  slices.read(tail_.data() + before, floats * sizeof(float));
  return true;
}

Frame FrameReader::take() {
  CHECK(message_);
  CHECK_EQ(tail_.size(), floats_);
  Frame frame{*std::exchange(message_, std::nullopt), Tail(std::exchange(tail_, {}))};
  floats_ = 0;
  return frame;
}

}  // namespace carrack::train
