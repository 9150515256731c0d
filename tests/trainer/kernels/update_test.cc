#include "trainer/kernels/update.h"

#include <gtest/gtest.h>

#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr std::size_t sizes[] = {0, 1, 7, 4096, 5003};
constexpr SgdStep sgd_step{.rate = 0.1f, .divisor = 3};
constexpr AdamStep adam_step{
    .rate = 1e-2f, .one_minus_beta1 = 0.1f, .one_minus_beta2 = 1e-3f, .epsilon = 1e-7f, .divisor = 3};

TEST(Sgd, GivesTheBitsOfTheNaiveVersion) {
  for (const std::size_t size : sizes) {
    const std::vector<float> parameters = naive::numbers(size, 1), gradients = naive::numbers(size, 2);
    std::vector<float> expected = parameters, updated(size);
    naive::sgd(sgd_step, expected, gradients);
    cpu::sgd(sgd_step, parameters, gradients, updated);
    EXPECT_EQ(updated, expected) << size << " elements";
    EXPECT_EQ(parameters, naive::numbers(size, 1)) << "the old version must stay";
  }
}

TEST(Sgd, WorksInPlace) {
  std::vector<float> parameters = naive::numbers(1000, 1), expected = parameters;
  const std::vector<float> gradients = naive::numbers(1000, 2);
  naive::sgd(sgd_step, expected, gradients);
  cpu::sgd(sgd_step, parameters, gradients, parameters);
  EXPECT_EQ(parameters, expected);
}

TEST(Sgd, WorksInTheMemoryOfTheSum) {
  const std::vector<float> parameters = naive::numbers(1000, 1);
  std::vector<float> expected = parameters, gradients = naive::numbers(1000, 2);
  naive::sgd(sgd_step, expected, gradients);
  cpu::sgd(sgd_step, parameters, gradients, gradients);
  EXPECT_EQ(gradients, expected);
}

TEST(Adam, WorksInTheMemoryOfTheSum) {
  const std::vector<float> parameters = naive::numbers(1000, 1);
  std::vector<float> expected = parameters, gradients = naive::numbers(1000, 2);
  std::vector<float> m = naive::numbers(1000, 3), v = naive::positive_numbers(1000, 4);
  std::vector<float> expected_m = m, expected_v = v;
  naive::adam(adam_step, expected, gradients, expected_m, expected_v);
  cpu::adam(adam_step, parameters, gradients, m, v, gradients);
  EXPECT_EQ(gradients, expected);
  EXPECT_EQ(m, expected_m);
  EXPECT_EQ(v, expected_v);
}

TEST(Adam, GivesTheBitsOfTheNaiveVersion) {
  for (const std::size_t size : sizes) {
    const std::vector<float> parameters = naive::numbers(size, 1), gradients = naive::numbers(size, 2);
    std::vector<float> m = naive::numbers(size, 3), v = naive::positive_numbers(size, 4), updated(size);
    std::vector<float> expected = parameters, expected_m = m, expected_v = v;
    naive::adam(adam_step, expected, gradients, expected_m, expected_v);
    cpu::adam(adam_step, parameters, gradients, m, v, updated);
    EXPECT_EQ(updated, expected) << size << " elements";
    EXPECT_EQ(m, expected_m);
    EXPECT_EQ(v, expected_v);
    EXPECT_EQ(parameters, naive::numbers(size, 1)) << "the old version must stay";
  }
}

TEST(Adam, WorksInPlace) {
  std::vector<float> parameters = naive::numbers(1000, 1), m(1000), v(1000);
  std::vector<float> expected = parameters, expected_m = m, expected_v = v;
  const std::vector<float> gradients = naive::numbers(1000, 2);
  naive::adam(adam_step, expected, gradients, expected_m, expected_v);
  cpu::adam(adam_step, parameters, gradients, m, v, parameters);
  EXPECT_EQ(parameters, expected);
}

TEST(NoCuda, SaysWhichImageHasCuda) {
  if (!cuda::toolkit_version().empty()) GTEST_SKIP() << "this build has CUDA";
  EXPECT_EQ(cuda::device_count(), 0);
  try {
    cuda::Buffer buffer(1);
    FAIL() << "a Buffer was made without CUDA";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    EXPECT_STREQ(error.what(), "this carrack-trainer was built without CUDA; use the image carrack/trainer-cuda");
  }
}

}  // namespace
}  // namespace carrack::train
