// Replaces trainer/kernels/cuda in a build without CUDA: device_count() is 0, and all that would use a device throws.
#include "trainer/error.h"
#include "trainer/kernels/device.h"
#include "trainer/kernels/update.h"

namespace carrack::train::cuda {
namespace {

[[noreturn]] void throw_no_cuda() {
  throw Error(Blame::user, "this carrack-trainer was built without CUDA; use the image carrack/trainer-cuda");
}

}  // namespace

std::string_view toolkit_version() {
  return {};
}
int device_count() {
  return 0;
}
void use_device(int) {
  throw_no_cuda();
}
DeviceMemory device_memory() {
  throw_no_cuda();
}

Memory::Memory(std::size_t) {
  throw_no_cuda();
}
Memory::~Memory() = default;
void Memory::write(std::span<const std::byte>) {
  throw_no_cuda();
}
void Memory::read(std::span<std::byte>) const {
  throw_no_cuda();
}
void Memory::copy_to(Memory&) const {
  throw_no_cuda();
}
Stream::Stream() {
  throw_no_cuda();
}
Stream::~Stream() = default;
void Stream::wait() {
  throw_no_cuda();
}
void Stream::upload(std::byte*, std::span<const std::byte>) {
  throw_no_cuda();
}
void Stream::download(std::span<std::byte>, const std::byte*) {
  throw_no_cuda();
}
void Stream::clear(std::span<std::byte>) {
  throw_no_cuda();
}
void synchronize() {
  throw_no_cuda();
}

void sgd(SgdStep, const Buffer&, const Buffer&, Buffer&) {
  throw_no_cuda();
}
void momentum(MomentumStep, const Buffer&, const Buffer&, Buffer&, Buffer&) {
  throw_no_cuda();
}
void adam(AdamStep, const Buffer&, const Buffer&, Buffer&, Buffer&, Buffer&) {
  throw_no_cuda();
}
void adamw(AdamWStep, const Buffer&, const Buffer&, Buffer&, Buffer&, Buffer&) {
  throw_no_cuda();
}
void adagrad(AdagradStep, const Buffer&, const Buffer&, Buffer&, Buffer&) {
  throw_no_cuda();
}
void rms_prop(RmsPropStep, const Buffer&, const Buffer&, Buffer&, Buffer&) {
  throw_no_cuda();
}

}  // namespace carrack::train::cuda
