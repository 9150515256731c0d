// What cases compare by: results of a device must have the bits of the CPU.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trainer/kernels/device.h"
#include "trainer/kernels/refused.h"

namespace carrack::gpu_test {

template <class T>
std::span<const T> span_of(const train::cuda::Array<T>& array) {
  return {array.data(), array.size()};
}

inline train::Refused value_of(const train::cuda::Array<train::Refused>& refused) {
  train::Refused value;
  refused.copy_to({&value, 1});
  return value;
}

// The same numbers on the CPU and on the device.
struct Both {
  explicit Both(std::vector<float> values) : host(std::move(values)), device(host) {}

  std::vector<float> host;
  train::cuda::Buffer device;
};

inline void check_bits(const std::string& function, const std::string& of, const train::cuda::Buffer& result,
                       const std::vector<float>& expected) {
  std::vector<float> values(result.size());
  result.copy_to(values);
  if (values.size() != expected.size()) throw std::runtime_error(function + " of " + of + ": another size is expected");
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Which NaN comes out depends on the device.
    const bool same = std::bit_cast<std::uint32_t>(values[i]) == std::bit_cast<std::uint32_t>(expected[i]) ||
                      (values[i] != values[i] && expected[i] != expected[i]);
    if (same) continue;
    throw std::runtime_error(function + " of " + of + ": element " + std::to_string(i) + " is " +
                             std::to_string(values[i]) + ", not " + std::to_string(expected[i]));
  }
}

// Ends of lanes of so many rows: none, of one lane, of two, and of eight, four of them empty.
inline std::vector<std::vector<std::int64_t>> lane_ends_of(std::int64_t rows) {
  return {{}, {rows}, {rows / 3, rows}, {0, rows / 5, rows / 5, rows / 2, rows / 2 + rows / 4, rows, rows, rows}};
}

}  // namespace carrack::gpu_test
