#include "tests/trainer/kernels/cuda_on_cpu/grid.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/trainer/has_sanitizer.h"
#include "tests/trainer/kernels/cuda_on_cpu/orders.h"
#include "tests/trainer/kernels/cuda_on_cpu/planted.h"
#include "trainer/error.h"

namespace carrack::cuda_on_cpu {
namespace {

using testing::ContainsRegex;
using testing::Each;
using testing::Not;
using train::cuda::Buffer;

constexpr std::size_t block_size = 64, size = 2 * block_size;

std::vector<float> counted() {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i);
  return values;
}

std::vector<float> reversed_blocks() {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = static_cast<float>(i / block_size * block_size + block_size - 1 - i % block_size);
  }
  return values;
}

std::vector<float> values_of(const Buffer& buffer) {
  std::vector<float> values(buffer.size());
  buffer.copy_to(values);
  return values;
}

template <class Launch>
std::string fault_of(const Launch& launch) {
  try {
    launch();
  } catch (const train::Error& error) {
    const std::string what = error.what();
    const std::size_t advice = what.find("; look on its machine for lines with 'NVRM: Xid' in the output of dmesg");
    EXPECT_NE(advice, what.npos) << what;
    return what.substr(0, advice);
  }
  return "no fault";
}

class Grids : public testing::TestWithParam<Order> {
 protected:
  void SetUp() override { set_order(GetParam(), 1); }

  const Buffer from_{counted()};
  Buffer to_{std::vector<float>(size)};
};

TEST_P(Grids, ThreadsMeetAtABarrier) {
  reverse_blocks(from_, to_);
  EXPECT_EQ(values_of(to_), reversed_blocks());
}

TEST_P(Grids, AMissingBarrierChangesTheResult) {
  reverse_blocks_without_barrier(from_, to_);
  EXPECT_NE(values_of(to_), reversed_blocks());
}

TEST_P(Grids, ThreadsShareTheMemoryThatTheLaunchAsksFor) {
  reverse_blocks_in_dynamic_memory(from_, to_, block_size * sizeof(float));
  EXPECT_EQ(values_of(to_), reversed_blocks());
}

TEST_P(Grids, LanesOfAWarpExchangeValues) {
  sum_warps(from_, to_);
  std::vector<float> expected;
  for (const float sum : {496.0f, 1520.0f, 2544.0f, 3568.0f}) expected.insert(expected.end(), 32, sum);
  EXPECT_EQ(values_of(to_), expected);
}

TEST_P(Grids, HalvesOfAWarpExchangeValuesApart) {
  find_leaders(to_);
  std::vector<float> expected;
  for (const float leader : {0.0f, 16.0f, 32.0f, 48.0f, 0.0f, 16.0f, 32.0f, 48.0f}) {
    expected.insert(expected.end(), 16, leader);
  }
  EXPECT_EQ(values_of(to_), expected);
}

TEST_P(Grids, AtomicsOfAllThreadsCount) {
  float sum = 0;
  int largest = 0, claims[2] = {};
  count_atomically(sum, largest, claims);
  EXPECT_EQ(sum, 128.0f);
  EXPECT_EQ(largest, 127);
  EXPECT_THAT(claims, Each(1));
}

TEST_P(Grids, NamesABarrierThatAThreadLeavesOut) {
  EXPECT_THAT(fault_of(divergent_barrier),
              ContainsRegex("^planted: thread 0 of block [01] waits at a barrier \\(.*planted.cu:[0-9]+, in "
                            ".*divergent_barrier_kernel.*\\) that thread 5 does not reach: it has returned$"));
}

TEST_P(Grids, NamesTwoBarriersAtWhichThreadsWait) {
  EXPECT_THAT(
      fault_of(two_barriers),
      ContainsRegex("^planted: thread 0 of block [01] waits at a barrier \\(.*planted.cu:[0-9]+, in "
                    ".*two_barriers_kernel.*\\) that thread 32 does not reach: it waits at .*planted.cu:[0-9]+"));
}

TEST_P(Grids, NamesAShuffleThatALaneLeavesOut) {
  EXPECT_THAT(fault_of([&] { divergent_shuffle(to_); }),
              ContainsRegex("^planted: thread 32 of block [01] waits for the lanes of its mask \\(.*planted.cu:[0-9]+, "
                            "in .*divergent_shuffle_kernel.*\\) that thread 40 does not reach: it has returned$"));
}

TEST_P(Grids, NamesALaneThatTheBlockDoesNotHave) {
  EXPECT_THAT(fault_of([&] { shuffle_of_half_a_warp(to_); }),
              ContainsRegex("^planted: thread 32 of block [01] waits for the lanes .* that thread (40|48) does not "
                            "reach: (it has returned|the block has no such thread)$"));
}

TEST_P(Grids, NamesAMaskThatLacksItsCaller) {
  EXPECT_THAT(fault_of([&] { wrong_mask(to_); }),
              ContainsRegex("^planted: thread [0-9]+ of block [01] calls a function of its warp with a mask that lacks "
                            "it$"));
}

TEST_P(Grids, NamesALaneOutsideOfTheMask) {
  EXPECT_THAT(fault_of([&] { outside_mask(to_); }),
              ContainsRegex("^planted: thread [0-9]+ of block [01] reads lane 20, which is not in the mask$"));
}

TEST_P(Grids, NamesAnIndexBehindSharedMemory) {
  EXPECT_THAT(fault_of(shared_off_by_one),
              ContainsRegex("^planted: thread 63 of block [01] uses element 64 of the 64 of the shared array values$"));
  EXPECT_THAT(fault_of([&] { reverse_blocks_in_dynamic_memory(from_, to_, (block_size - 1) * sizeof(float)); }),
              ContainsRegex("^reverse: thread 63 of block [01] uses element 63 of the 63 of the shared array values$"));
}

TEST_P(Grids, FindsAWriteBehindABuffer) {
  const auto fault = [&] { return fault_of([&] { device_off_by_one(to_); }); };
#if defined(__SANITIZE_ADDRESS__)
  EXPECT_DEATH(fault(), "heap-buffer-overflow");
#else
  EXPECT_EQ(fault(), "planted: a thread wrote behind the 512 bytes of a buffer");
#endif
}

TEST_P(Grids, RunAfterAFault) {
  EXPECT_THAT(fault_of(divergent_barrier), Not("no fault"));
  reverse_blocks(from_, to_);
  EXPECT_EQ(values_of(to_), reversed_blocks());
}

INSTANTIATE_TEST_SUITE_P(Orders, Grids, testing::Values(Order::forward, Order::backward, Order::drawn), name_of_order);

}  // namespace
}  // namespace carrack::cuda_on_cpu
