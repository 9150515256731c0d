// Runs whole graphs by the CUDA kernels, on the CPU.
#include <gtest/gtest.h>

#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/cuda_on_cpu/orders.h"

namespace carrack::cuda_on_cpu {
namespace {

class Graphs : public testing::TestWithParam<Order> {};

TEST_P(Graphs, GiveTheBitsOfTheCpu) {
  set_order(GetParam(), 1);
  for (const gpu_test::Case& one : gpu_test::executor_cases()) {
    SCOPED_TRACE(one.name);
    EXPECT_NO_THROW(one.run());
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, Graphs, testing::Values(Order::forward, Order::backward, Order::drawn), name_of_order);

}  // namespace
}  // namespace carrack::cuda_on_cpu
