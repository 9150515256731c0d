#include "trainer/comm/transport/frame_codec.h"

#include <grpcpp/support/slice.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace carrack::train {
namespace {

static_assert(std::endian::native == std::endian::little,
              "frames are little-endian, and floats are copied as they are");

constexpr std::size_t prefix_size = sizeof(std::uint32_t);

// A slice that refers to the tail and keeps its owner alive.
grpc::Slice slice_of(const Tail& tail) {
  auto* owner = new std::shared_ptr<const std::vector<float>>(tail.owner);
  const auto release = [](void* user) { delete static_cast<std::shared_ptr<const std::vector<float>>*>(user); };
  // The cast is safe: gRPC takes a void*, but does not write to a slice that it sends.
  return grpc::Slice(const_cast<float*>(tail.values.data()), tail.values.size_bytes(), release, owner);
}

// Copies `size` bytes at `offset` of the slices laid end to end.
void copy(const std::vector<grpc::Slice>& slices, std::size_t offset, void* destination, std::size_t size) {
  auto* into = static_cast<char*>(destination);
  for (const grpc::Slice& slice : slices) {
    if (offset >= slice.size()) {
      offset -= slice.size();
      continue;
    }
    const std::size_t part = std::min(size, slice.size() - offset);
    std::memcpy(into, slice.begin() + offset, part);
    into += part;
    size -= part;
    offset = 0;
    if (size == 0) return;
  }
}

}  // namespace

grpc::ByteBuffer encode(const wire::Message& message, const Tail& tail) {
  std::string control(prefix_size, '\0');
  message.AppendToString(&control);
  const auto size = static_cast<std::uint32_t>(control.size() - prefix_size);
  std::memcpy(control.data(), &size, prefix_size);
  std::vector<grpc::Slice> slices{grpc::Slice(control)};
  if (!tail.values.empty()) slices.push_back(slice_of(tail));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::optional<Frame> decode(const grpc::ByteBuffer& bytes, const FrameLimits& limits) {
  std::vector<grpc::Slice> slices;
  if (!bytes.Dump(&slices).ok() || bytes.Length() < prefix_size) return std::nullopt;
  std::uint32_t control_size = 0;
  copy(slices, 0, &control_size, prefix_size);
  if (control_size > bytes.Length() - prefix_size || control_size > limits.control_bytes) return std::nullopt;
  const std::size_t tail_size = bytes.Length() - prefix_size - control_size;
  if (tail_size % sizeof(float) != 0 || tail_size > limits.tail_bytes) return std::nullopt;

  std::string control(control_size, '\0');
  copy(slices, prefix_size, control.data(), control_size);
  Frame frame;
  if (!frame.message.ParseFromString(control)) return std::nullopt;
  frame.tail.resize(tail_size / sizeof(float));
  copy(slices, prefix_size + control_size, frame.tail.data(), tail_size);
  return frame;
}

}  // namespace carrack::train
