// Runs the cases of tests/gpu on the CPU.
#include <gtest/gtest.h>

#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/cuda_on_cpu/orders.h"

namespace carrack::cuda_on_cpu {
namespace {

class Kernels : public testing::TestWithParam<Order> {
 protected:
  void SetUp() override { set_order(GetParam(), 1); }
};

void run(const std::vector<gpu_test::Case>& cases) {
  for (const gpu_test::Case& one : cases) {
    SCOPED_TRACE(one.name);
    EXPECT_NO_THROW(one.run());
  }
}

TEST_P(Kernels, UpdateParameters) {
  run(gpu_test::update_cases());
}

TEST_P(Kernels, ComputeElements) {
  run(gpu_test::elementwise_cases());
}

TEST_P(Kernels, AddUp) {
  run(gpu_test::sums_cases());
}

TEST_P(Kernels, ReadRowsAndAddToThem) {
  run(gpu_test::rows_cases());
}

TEST_P(Kernels, ComputeLosses) {
  run(gpu_test::losses_cases());
}

TEST_P(Kernels, Normalize) {
  run(gpu_test::normalization_cases());
}

TEST_P(Kernels, Attend) {
  run(gpu_test::attention_cases());
}

TEST_P(Kernels, ConvolveImages) {
  run(gpu_test::convolution_cases());
}

TEST_P(Kernels, MultiplyMatrices) {
  run(gpu_test::matrix_cases());
}

TEST_P(Kernels, PoolImages) {
  run(gpu_test::pooling_cases());
}

TEST_P(Kernels, WalkSequences) {
  run(gpu_test::recurrent_cases());
}

INSTANTIATE_TEST_SUITE_P(Orders, Kernels, testing::Values(Order::forward, Order::backward, Order::drawn),
                         name_of_order);

}  // namespace
}  // namespace carrack::cuda_on_cpu
