#include "trainer/execution/kernel.h"

#include <algorithm>

#include "trainer/error.h"

namespace carrack::train {
namespace {

std::span<const Kernel> kernels_of(Device device) {
  switch (device) {
    case Device::cpu:
      return cpu_kernels();
    case Device::cuda:
      return cuda_kernels();
  }
  throw Error(Blame::bug, "a device without a table of kernels");
}

}  // namespace

Extents extents_of(const Dimensions& shape, std::int64_t rows) {
  Extents extents{1, 1, 1, 1};
  const std::size_t ahead = rank_max - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) extents[ahead + i] = shape[i].with_rows(rows);
  return extents;
}

const Kernel* find_kernel(Device device, std::string_view op, Type type) {
  const std::span<const Kernel> kernels = kernels_of(device);
  const auto found = std::ranges::find_if(kernels, [&](const Kernel& one) { return one.op == op && one.type == type; });
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace carrack::train
