// Every cuda kernel against its naive version, on a real GPU.
#include "tests/gpu/runner.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/update.h"

namespace carrack::train {
namespace {

void sgd_gives_the_bits_of_the_naive_version() {
  for (const std::size_t size : {1u, 255u, 257u, 100003u, 3000017u}) {
    std::vector<float> expected = naive::numbers(size, 1);
    const std::vector<float> gradients = naive::numbers(size, 2);
    cuda::Buffer parameters(expected);
    cuda::sgd(parameters, cuda::Buffer(gradients), 0.1f);
    naive::sgd(expected, gradients, 0.1f);
    std::vector<float> result(size);
    parameters.copy_to(result);
    gpu_test::check(result == expected, std::to_string(size) + " elements");
  }
}

void copies_reach_the_device_and_come_back() {
  const std::vector<float> sent = naive::numbers(1000, 3);
  const cuda::Buffer first(sent);
  cuda::Buffer second(sent.size());
  first.copy_to(second);
  std::vector<float> received(sent.size());
  second.copy_to(received);
  gpu_test::check(received == sent, "1000 elements");
}

}  // namespace
}  // namespace carrack::train

int main() {
  return carrack::gpu_test::run({
      {"sgd gives the bits of the naive version", carrack::train::sgd_gives_the_bits_of_the_naive_version},
      {"copies reach the device and come back", carrack::train::copies_reach_the_device_and_come_back},
  });
}
