// Devices, and the messages about their failures.
#include <gtest/gtest.h>

#include "tests/trainer/graph/expect_error.h"
#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/device.h"

namespace carrack::train::cuda {
namespace {

class Devices : public testing::Test {
 protected:
  void TearDown() override { use_device(0); }
};

TEST_F(Devices, AreFour) {
  EXPECT_EQ(device_count(), 4);
  use_device(3);
  expect_error(Blame::platform,
               "cudaSetDevice: invalid device ordinal; look on its machine for lines with 'NVRM: Xid' in the output of "
               "dmesg",
               [] { use_device(4); });
}

TEST_F(Devices, HaveMemoryOfTheirOwn) {
  const DeviceMemory of_first = device_memory();
  const Memory on_first(1000);
  EXPECT_EQ(device_memory().free_bytes, of_first.free_bytes - 1000);
  EXPECT_EQ(device_memory().all_bytes, of_first.all_bytes);
  use_device(1);
  EXPECT_EQ(device_memory().free_bytes, of_first.free_bytes);
}

void write_one(float* to) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *to = 1;
}

TEST_F(Devices, RefuseWorkInAStreamOfAnother) {
  Stream stream;
  Buffer number(std::vector<float>{0});
  launch("write_one", stream.handle(), launch_for(1), write_one, number.data());
  use_device(1);
  expect_error(Blame::platform,
               "write_one: invalid resource handle; look on its machine for lines with 'NVRM: Xid' in the output of "
               "dmesg",
               [&] { launch("write_one", stream.handle(), launch_for(1), write_one, number.data()); });
}

TEST_F(Devices, SayWhatCanBeDoneAboutAFailure) {
  const auto expect = [](cudaError_t status, const char* text) {
    expect_error(Blame::platform, text, [&] { check_cuda(status, "copy"); });
  };
  expect(
      cudaErrorECCUncorrectable,
      "copy: uncorrectable ECC error encountered; the memory of the GPU is damaged; take its machine out of use, and "
      "reset or replace the GPU");
  expect(cudaErrorNoKernelImageForDevice,
         "copy: no kernel image is available for execution on the device; the GPU is too old; Carrack has kernels for "
         "compute capability 7.5 and newer");
  expect(
      cudaErrorDevicesUnavailable,
      "copy: CUDA-capable device(s) is/are busy or unavailable; another process uses the GPU alone; nvidia-smi lists "
      "the processes");
  expect(cudaErrorSystemNotReady, "copy: system not yet initialized; start NVIDIA's fabric manager on its machine");
  expect(cudaErrorSystemDriverMismatch,
         "copy: system has unsupported display driver / cuda driver combination; the driver was updated while it ran; "
         "restart its machine");
  expect(cudaErrorMemoryAllocation,
         "copy: the GPU has no room, perhaps because other processes use its memory; nvidia-smi lists them");
  EXPECT_NO_THROW(check_cuda(cudaSuccess, "copy"));
}

}  // namespace
}  // namespace carrack::train::cuda
