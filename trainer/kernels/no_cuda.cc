// What stands in for trainer/kernels/cuda in a build without CUDA: no devices, and a clear error for who asks for one.
#include "trainer/error.h"
#include "trainer/kernels/device.h"
#include "trainer/kernels/update.h"

namespace carrack::train::cuda {
namespace {

[[noreturn]] void absent() {
  throw Error(Blame::user, "this carrack-trainer was built without CUDA; use the image carrack/trainer-cuda");
}

}  // namespace

std::string_view toolkit_version() {
  return {};
}
int device_count() {
  return 0;
}

Buffer::Buffer(std::size_t) {
  absent();
}
Buffer::Buffer(std::span<const float>) {
  absent();
}
Buffer::~Buffer() = default;
void Buffer::copy_to(std::span<float>) const {
  absent();
}
void Buffer::copy_to(Buffer&) const {
  absent();
}
void synchronize() {
  absent();
}

void sgd(SgdStep, const Buffer&, const Buffer&, Buffer&) {
  absent();
}
void adam(AdamStep, const Buffer&, const Buffer&, Buffer&, Buffer&, Buffer&) {
  absent();
}

}  // namespace carrack::train::cuda
