#include "trainer/loop/roles/frame_limits.h"

#include <algorithm>

namespace carrack::train {
namespace {

// Enough for an Assignment with 1000 servers, and for 4096 runs of batches in Load, Loaded and Saved.
constexpr std::size_t control_bytes = std::size_t{1} << 20;
constexpr std::size_t push_control_bytes = std::size_t{64} << 10;
// A slice in Saved has a name, a shape and six numbers.
constexpr std::size_t slice_bytes = 256;

// The maximum number of bytes for the slices in Saved: of a shard that has rows of every tensor.
std::size_t saved_bytes(const Setup& setup) {
  const auto states = state_names(setup.optimizer);
  std::size_t bytes = 0;
  for (const PlacedTensor& tensor : setup.layout.tensors()) {
    bytes += tensor.name.size() + slice_bytes;
    for (const std::string_view state : states) bytes += state_tensor(tensor.name, state).size() + slice_bytes;
  }
  return bytes;
}

// The maximum number of bytes for the squares in Norm: of a server that has all blocks.
std::size_t norm_bytes(const Setup& setup) {
  return static_cast<std::size_t>(setup.layout.block_count()) * sizeof(double);
}

std::size_t bytes_of(const Range& range) {
  return static_cast<std::size_t>(range.size()) * sizeof(float);
}

}  // namespace

EndpointLimits coordinator_limits(const Setup& setup) {
  return {.accepted = {.control_bytes = control_bytes + saved_bytes(setup) + norm_bytes(setup), .tail_bytes = 0},
          .opened = {}};
}

EndpointLimits server_limits(const Setup& setup, std::size_t server) {
  return {.accepted = {.control_bytes = push_control_bytes, .tail_bytes = bytes_of(setup.ranges.at(server))},
          .opened = {.control_bytes = control_bytes, .tail_bytes = 0}};
}

EndpointLimits worker_limits(const Setup& setup) {
  std::size_t range_bytes_max = 0;
  for (const Range& range : setup.ranges) range_bytes_max = std::max(range_bytes_max, bytes_of(range));
  return {.accepted = {}, .opened = {.control_bytes = control_bytes, .tail_bytes = range_bytes_max}};
}

}  // namespace carrack::train
