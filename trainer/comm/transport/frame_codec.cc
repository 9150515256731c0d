#include "trainer/comm/transport/frame_codec.h"

#include <grpcpp/support/slice.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "dataloader/machine/heap.h"

namespace carrack::train {
namespace {

static_assert(std::endian::native == std::endian::little,
              "frames are little-endian, and floats are copied as they are");

constexpr std::size_t prefix_size = sizeof(std::uint32_t);

// A slice that refers to the tail's values and keeps them alive.
grpc::Slice slice_of(Tail tail) {
  auto* owner = new Tail(std::move(tail));
  const std::span<const float> values = owner->values();
  const auto release = [](void* user) { delete static_cast<Tail*>(user); };
  // The cast is safe: gRPC takes a void*, but does not write to a slice that it sends.
  return grpc::Slice(const_cast<float*>(values.data()), values.size_bytes(), release, owner);
}

constexpr std::size_t piece_floats = std::size_t{16} << 10;

// Reads the slices of a buffer from end to end, and frees each one once it is read.
class SliceReader {
 public:
  // `bytes` is empty afterwards.
  explicit SliceReader(grpc::ByteBuffer& bytes) : is_ok_(bytes.Dump(&slices_).ok()) { bytes.Clear(); }

  bool is_ok() const { return is_ok_; }
  // There must be as many bytes left.
  void read(void* destination, std::size_t size) {
    auto* into = static_cast<char*>(destination);
    while (size > 0) {
      const grpc::Slice& slice = slices_.at(next_);
      const std::size_t part = std::min(size, slice.size() - offset_);
      std::memcpy(into, slice.begin() + offset_, part);
      into += part;
      size -= part;
      offset_ += part;
      if (offset_ < slice.size()) continue;
      free_next();
      offset_ = 0;
    }
  }

 private:
  // Returns the memory of a large frame to the system while the frame is read.
  void free_next() {
    freed_ += slices_[next_].size();
    slices_[next_++] = grpc::Slice();
    if (freed_ < data::heap_slack_bytes) return;
    data::return_freed_memory();
    freed_ = 0;
  }

  std::vector<grpc::Slice> slices_;
  std::size_t freed_ = 0;  // bytes freed since memory was last returned
  bool is_ok_;
  std::size_t next_ = 0;
  std::size_t offset_ = 0;  // in the next slice
};

// The memory of the values and that of the slices is not needed at once: values are added a piece at a time.
Floats read_tail(SliceReader& reader, std::size_t count) {
  Floats tail;
  tail.reserve(count);
  while (tail.size() < count) {
    const std::size_t before = tail.size();
    tail.resize(std::min(count, before + piece_floats));
    reader.read(tail.data() + before, (tail.size() - before) * sizeof(float));
  }
  return tail;
}

}  // namespace

grpc::ByteBuffer encode(const wire::Message& message, Tail tail) {
  std::string control(prefix_size, '\0');
  message.AppendToString(&control);
  const auto size = static_cast<std::uint32_t>(control.size() - prefix_size);
  std::memcpy(control.data(), &size, prefix_size);
  std::vector<grpc::Slice> slices{grpc::Slice(control)};
  if (!tail.values().empty()) slices.push_back(slice_of(std::move(tail)));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::optional<Frame> decode(grpc::ByteBuffer& bytes, const FrameLimits& limits) {
  const std::size_t length = bytes.Length();
  SliceReader reader(bytes);
  if (!reader.is_ok() || length < prefix_size) return std::nullopt;
  std::uint32_t control_size = 0;
  reader.read(&control_size, prefix_size);
  if (control_size > length - prefix_size || control_size > limits.control_bytes) return std::nullopt;
  const std::size_t tail_size = length - prefix_size - control_size;
  if (tail_size % sizeof(float) != 0 || tail_size > limits.tail_bytes) return std::nullopt;

  std::string control(control_size, '\0');
  reader.read(control.data(), control_size);
  Frame frame;
  if (!frame.message.ParseFromString(control)) return std::nullopt;
  frame.tail = Tail(read_tail(reader, tail_size / sizeof(float)));
  return frame;
}

}  // namespace carrack::train
