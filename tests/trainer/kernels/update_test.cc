#include "trainer/kernels/update.h"

#include <gtest/gtest.h>

#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

TEST(Sgd, GivesTheBitsOfTheNaiveVersion) {
  for (const std::size_t size : {0u, 1u, 7u, 4096u, 5003u}) {
    std::vector<float> parameters = naive::numbers(size, 1);
    const std::vector<float> gradients = naive::numbers(size, 2);
    std::vector<float> expected = parameters;
    naive::sgd(expected, gradients, 0.1f);
    cpu::sgd(parameters, gradients, 0.1f);
    EXPECT_EQ(parameters, expected) << size << " elements";
  }
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
