// The optimizer updates against their naive versions.
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/update.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

constexpr std::size_t sizes[] = {1, 255, 257, 100003, 3000017};

std::vector<float> values_of(const cuda::Buffer& buffer) {
  std::vector<float> values(buffer.size());
  buffer.copy_to(values);
  return values;
}

void sgd_gives_the_bits_of_the_naive_version() {
  constexpr SgdStep by{.rate = 0.1f, .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
  for (const std::size_t size : sizes) {
    std::vector<float> expected = naive::numbers(size, 1);
    const std::vector<float> gradients = naive::numbers(size, 2);
    const cuda::Buffer parameters(expected);
    cuda::Buffer updated(size);
    cuda::sgd(by, parameters, cuda::Buffer(gradients), updated);
    naive::sgd(by, expected, gradients);
    check(values_of(updated) == expected, std::to_string(size) + " elements");
    check(values_of(parameters) == naive::numbers(size, 1), "the old version must stay");
  }
}

void adam_gives_the_bits_of_the_naive_version() {
  constexpr AdamStep by{.rate = 1e-2f,
                        .one_minus_beta1 = 0.1f,
                        .one_minus_beta2 = 1e-3f,
                        .epsilon = 1e-7f,
                        .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
  for (const std::size_t size : sizes) {
    std::vector<float> expected = naive::numbers(size, 1), m = naive::numbers(size, 3);
    std::vector<float> v = naive::positive_numbers(size, 4);
    const std::vector<float> gradients = naive::numbers(size, 2);
    cuda::Buffer parameters(expected), device_m(m), device_v(v);
    cuda::adam(by, parameters, cuda::Buffer(gradients), device_m, device_v, parameters);
    naive::adam(by, expected, gradients, m, v);
    check(values_of(parameters) == expected, std::to_string(size) + " elements");
    check(values_of(device_m) == m && values_of(device_v) == v, "state of " + std::to_string(size));
  }
}

void momentum_gives_the_bits_of_the_naive_version() {
  constexpr MomentumStep by{
      .rate = 0.1f, .momentum = 0.9f, .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
  for (const std::size_t size : sizes) {
    std::vector<float> expected = naive::numbers(size, 1), velocity = naive::numbers(size, 3);
    const std::vector<float> gradients = naive::numbers(size, 2);
    cuda::Buffer parameters(expected), device_velocity(velocity);
    cuda::momentum(by, parameters, cuda::Buffer(gradients), device_velocity, parameters);
    naive::momentum(by, expected, gradients, velocity);
    check(values_of(parameters) == expected, std::to_string(size) + " elements");
    check(values_of(device_velocity) == velocity, "state of " + std::to_string(size));
  }
}

void adamw_gives_the_bits_of_the_naive_version() {
  constexpr AdamWStep by{.adam = {.rate = 1e-2f,
                                  .one_minus_beta1 = 0.1f,
                                  .one_minus_beta2 = 1e-3f,
                                  .epsilon = 1e-7f,
                                  .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}},
                         .learning_rate = 0.3f,
                         .weight_decay = 0.4f};
  for (const std::size_t size : sizes) {
    std::vector<float> expected = naive::numbers(size, 1), m = naive::numbers(size, 3);
    std::vector<float> v = naive::positive_numbers(size, 4);
    const std::vector<float> gradients = naive::numbers(size, 2);
    cuda::Buffer parameters(expected), device_m(m), device_v(v);
    cuda::adamw(by, parameters, cuda::Buffer(gradients), device_m, device_v, parameters);
    naive::adamw(by, expected, gradients, m, v);
    check(values_of(parameters) == expected, std::to_string(size) + " elements");
    check(values_of(device_m) == m && values_of(device_v) == v, "state of " + std::to_string(size));
  }
}

void adagrad_gives_the_bits_of_the_naive_version() {
  constexpr AdagradStep by{
      .rate = 0.1f, .epsilon = 1e-7f, .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
  for (const std::size_t size : sizes) {
    std::vector<float> expected = naive::numbers(size, 1), accumulator = naive::positive_numbers(size, 3);
    const std::vector<float> gradients = naive::numbers(size, 2);
    cuda::Buffer parameters(expected), device_accumulator(accumulator);
    cuda::adagrad(by, parameters, cuda::Buffer(gradients), device_accumulator, parameters);
    naive::adagrad(by, expected, gradients, accumulator);
    check(values_of(parameters) == expected, std::to_string(size) + " elements");
    check(values_of(device_accumulator) == accumulator, "state of " + std::to_string(size));
  }
}

void nesterov_gives_the_bits_of_the_naive_version() {
  constexpr MomentumStep by{.rate = 0.1f,
                            .momentum = 0.9f,
                            .nesterov = true,
                            .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
  for (const std::size_t size : sizes) {
    std::vector<float> expected = naive::numbers(size, 1), velocity = naive::numbers(size, 3);
    const std::vector<float> gradients = naive::numbers(size, 2);
    cuda::Buffer parameters(expected), device_velocity(velocity);
    cuda::momentum(by, parameters, cuda::Buffer(gradients), device_velocity, parameters);
    naive::momentum(by, expected, gradients, velocity);
    check(values_of(parameters) == expected, std::to_string(size) + " elements");
    check(values_of(device_velocity) == velocity, "state of " + std::to_string(size));
  }
}

void rms_prop_gives_the_bits_of_the_naive_version() {
  constexpr RmsPropStep by{.rate = 0.1f,
                           .rho = 0.9f,
                           .one_minus_rho = 0.1f,
                           .epsilon = 1e-7f,
                           .gradient = {.factor = 1.0f / 3, .limit = 0.01f, .scale = 0.7f}};
  for (const std::size_t size : sizes) {
    std::vector<float> expected = naive::numbers(size, 1), v = naive::positive_numbers(size, 3);
    const std::vector<float> gradients = naive::numbers(size, 2);
    cuda::Buffer parameters(expected), device_v(v);
    cuda::rms_prop(by, parameters, cuda::Buffer(gradients), device_v, parameters);
    naive::rms_prop(by, expected, gradients, v);
    check(values_of(parameters) == expected, std::to_string(size) + " elements");
    check(values_of(device_v) == v, "state of " + std::to_string(size));
  }
}

void copies_reach_the_device_and_come_back() {
  const std::vector<float> sent = naive::numbers(1000, 3);
  const cuda::Buffer first(sent);
  cuda::Buffer second(sent.size());
  first.copy_to(second);
  check(values_of(second) == sent, "1000 elements");
}

}  // namespace

std::vector<Case> update_cases() {
  return {
      {"sgd_gives_the_bits_of_the_naive_version", sgd_gives_the_bits_of_the_naive_version},
      {"adam_gives_the_bits_of_the_naive_version", adam_gives_the_bits_of_the_naive_version},
      {"momentum_gives_the_bits_of_the_naive_version", momentum_gives_the_bits_of_the_naive_version},
      {"adamw_gives_the_bits_of_the_naive_version", adamw_gives_the_bits_of_the_naive_version},
      {"adagrad_gives_the_bits_of_the_naive_version", adagrad_gives_the_bits_of_the_naive_version},
      {"nesterov_gives_the_bits_of_the_naive_version", nesterov_gives_the_bits_of_the_naive_version},
      {"rms_prop_gives_the_bits_of_the_naive_version", rms_prop_gives_the_bits_of_the_naive_version},
      {"copies_reach_the_device_and_come_back", copies_reach_the_device_and_come_back},
  };
}

}  // namespace carrack::gpu_test
