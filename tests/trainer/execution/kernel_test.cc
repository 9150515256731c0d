#include "trainer/execution/kernel.h"

#include "tests/trainer/graph/expect_error.h"
#include "trainer/execution/executor.h"

namespace carrack::train {
namespace {

TEST(KernelsOfTheCpu, AreThereForEveryOperatorThatIsNoView) {
  for (const Operator* op : all_operators()) {
    if (op->is_view) continue;
    EXPECT_NE(find_kernel(Device::cpu, op->name, Type::float32), nullptr) << op->name;
  }
  for (const Kernel& kernel : cpu_kernels()) EXPECT_NE(find_operator(kernel.op), nullptr) << kernel.op;
}

TEST(KernelsOfTheCpu, AreNoneForOperatorsAndTypesThatItDoesNotHave) {
  EXPECT_EQ(find_kernel(Device::cpu, "Softplus", Type::float32), nullptr);
  EXPECT_EQ(find_kernel(Device::cpu, "Add", Type::int64), nullptr);
}

TEST(AGraph, IsRefusedForADeviceThatTheBuildDoesNotKnow) {
  if (!cuda::toolkit_version().empty()) GTEST_SKIP() << "built with CUDA";
  Graph graph("spec.model");
  const ValueId loss = graph.reduce_sum("loss", graph.parameter("w", {3}), 0, 1);
  expect_error(Blame::user, "this carrack-trainer was built without CUDA; use the image carrack/trainer-cuda", [&] {
    Executor(gradients(graph, loss), Layout({{"w", {3}}}), 1, nullptr, Device::cuda);
  });
}

}  // namespace
}  // namespace carrack::train
