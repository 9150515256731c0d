// bench_kernels DEVICE WHAT: prints how many bytes a second one kernel moves on `cpu` or `cuda`, or for `limit` the
// barest use of the memory there: reading it on the cpu, copying it on the GPU. kernels.py and gpu.py set them side by
// side.
#include <chrono>
#include <cstdio>
#include <functional>
#include <string_view>
#include <vector>

#include "trainer/kernels/update.h"

namespace carrack::train {
namespace {

constexpr std::size_t elements = std::size_t{1} << 25;  // 128 MiB an array: far beyond any cache.
constexpr auto measured_for = std::chrono::milliseconds(300);

// Bytes a second of `once`, which moves `bytes`; `wait` returns when all that was started is done.
double rate(double bytes, const std::function<void()>& once, const std::function<void()>& wait) {
  once();
  wait();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::chrono::duration<double> passed{};
  int times = 0;
  do {
    once();
    wait();
    ++times;
    passed = Clock::now() - start;
  } while (passed < measured_for);
  return bytes * times / passed.count();
}

constexpr double array_bytes = sizeof(float) * elements;
constexpr double sgd_bytes = 3 * array_bytes;  // It reads two arrays and writes one.

double cpu_rate() {
  std::vector<float> parameters(elements, 1.0f);
  std::vector<float> gradients(elements, 0.5f);
  return rate(
      sgd_bytes, [&] { cpu::sgd({.rate = 0.1f}, parameters, gradients, parameters); }, [] {});
}

double cuda_rate(std::string_view what) {
  cuda::Buffer parameters(std::vector<float>(elements, 1.0f));
  const cuda::Buffer gradients(std::vector<float>(elements, 0.5f));
  if (what == "limit")
    return rate(
        2 * array_bytes, [&] { gradients.copy_to(parameters); }, cuda::synchronize);
  return rate(
      sgd_bytes, [&] { cuda::sgd({.rate = 0.1f}, parameters, gradients, parameters); }, cuda::synchronize);
}

}  // namespace
}  // namespace carrack::train

int main(int argc, char** argv) {
  const std::string_view device = argc == 3 ? argv[1] : "";
  const std::string_view what = argc == 3 ? argv[2] : "";
  const bool known = (device == "cpu" && what == "sgd") || (device == "cuda" && (what == "sgd" || what == "limit"));
  if (!known) {
    std::fputs("usage: bench_kernels cpu sgd | cuda sgd | cuda limit\n", stderr);
    return 2;
  }
  if (device == "cuda" && carrack::train::cuda::device_count() == 0) {
    std::fputs("bench_kernels: no CUDA device\n", stderr);
    return 77;
  }
  std::printf("%.0f\n", device == "cpu" ? carrack::train::cpu_rate() : carrack::train::cuda_rate(what));
  return 0;
}
