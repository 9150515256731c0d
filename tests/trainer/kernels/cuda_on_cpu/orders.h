// The names of the orders of threads in those of tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/trainer/kernels/cuda_on_cpu/grid.h"

namespace carrack::cuda_on_cpu {

inline std::string name_of_order(const testing::TestParamInfo<Order>& order) {
  switch (order.param) {
    case Order::forward:
      return "Forward";
    case Order::backward:
      return "Backward";
    case Order::drawn:
      return "Drawn";
  }
  return "";
}

}  // namespace carrack::cuda_on_cpu
