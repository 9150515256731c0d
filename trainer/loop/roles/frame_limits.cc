#include "trainer/loop/roles/frame_limits.h"

#include <algorithm>

namespace carrack::train {
namespace {

// Enough for the largest messages: an Assignment with the addresses of 1000 servers, and a Load, Loaded or Saved with
// 4096 runs of batch numbers.
constexpr std::size_t control_bytes = std::size_t{1} << 20;
// Enough for the messages of workers to servers, without the gradients, which are the tails of these messages.
constexpr std::size_t push_control_bytes = std::size_t{64} << 10;
// More than a slice in Saved needs without its name: a shape and six numbers.
constexpr std::size_t slice_bytes = 256;

// Returns the maximum size of the slices in Saved, the report of a server that has saved its part of the parameters.
// There is a slice for each tensor and each optimizer state, at most for those of the whole model.
std::size_t saved_bytes(const Setup& setup) {
  const auto states = state_names(setup.optimizer);
  std::size_t bytes = 0;
  for (const PlacedTensor& tensor : setup.layout.tensors()) {
    bytes += tensor.name.size() + slice_bytes;
    for (const std::string_view state : states) bytes += state_tensor(tensor.name, state).size() + slice_bytes;
  }
  return bytes;
}

// Returns the maximum size of the sums of squares in the message Norm. A server sends one for each block of its
// parameters, and a single server has all blocks.
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
