#include "trainer/graph/graph.h"

#include "tests/trainer/graph/expect_error.h"

namespace carrack::train {
namespace {

struct Some : testing::Test {
  Graph graph{"spec.model"};
  ValueId x = graph.input("x", Type::float32, {3});
  ValueId y = graph.input("y", Type::float32, {});
  ValueId index = graph.input("index", Type::int64, {});
  ValueId w = graph.parameter("w", {4});
  ValueId v = graph.parameter("v", {3, 2});
  ValueId s = graph.parameter("s", {});

  std::string shape(ValueId id) const { return text(graph.value(id).shape); }
};

using Shapes = Some;
using ShapeErrors = Some;

TEST_F(Shapes, OfProductsDropTheInnerDimension) {
  const ValueId vector = graph.parameter("vector", {3});
  EXPECT_EQ(shape(graph.matmul("p", x, v)), "[rows, 2]");
  EXPECT_EQ(shape(graph.matmul("q", x, vector)), "[rows]");
}

TEST_F(Shapes, OfElementwiseOperatorsAreBroadcast) {
  EXPECT_EQ(shape(graph.add("a", x, x)), "[rows, 3]");
  EXPECT_EQ(shape(graph.sub("b", x, s)), "[rows, 3]");
  EXPECT_EQ(shape(graph.mul("c", graph.parameter("row", {1, 3}), graph.parameter("column", {4, 1}))), "[4, 3]");
  EXPECT_EQ(shape(graph.add("d", graph.parameter("last", {3}), x)), "[rows, 3]");
}

TEST_F(Shapes, OfSumsLoseTheirAxes) {
  EXPECT_EQ(shape(graph.reduce_sum("a", x, 0, 1)), "[3]");
  EXPECT_EQ(shape(graph.reduce_sum("b", x, 1, 2)), "[rows]");
  EXPECT_EQ(shape(graph.reduce_sum("c", x, 0, 2)), "[]");
}

TEST_F(Shapes, OfGatheredRowsAreThoseOfIndicesAndRows) {
  EXPECT_EQ(shape(graph.gather("a", v, index)), "[rows, 2]");
  EXPECT_EQ(shape(graph.gather("b", w, index)), "[rows]");
}

TEST_F(ShapeErrors, OfProducts) {
  expect_error(
      Blame::user,
      "spec.model: MatMul of `x` [rows, 3] and `w` [4]: the last dimension of `x` and the first of `w` must be "
      "the same",
      [&] { graph.matmul("p", x, w); });
  expect_error(Blame::user,
               "spec.model: MatMul of `w` [4] and `x` [rows, 3]: needs two dimensions on the left, and one or two on "
               "the right",
               [&] { graph.matmul("p", w, x); });
}

TEST_F(ShapeErrors, OfElementwiseOperators) {
  expect_error(Blame::user,
               "spec.model: Add of `x` [rows, 3] and `y` [rows]: from the last on, dimensions must be the same, or one "
               "of them 1",
               [&] { graph.add("a", x, y); });
  expect_error(Blame::user,
               "spec.model: Sub of `w` [4] and `x` [rows, 3]: from the last on, dimensions must be the same, or one of "
               "them 1",
               [&] { graph.sub("a", w, x); });
  expect_error(Blame::user, "spec.model: Mul of `index` [rows]: it must be float32",
               [&] { graph.mul("a", index, index); });
}

TEST_F(ShapeErrors, OfSums) {
  expect_error(Blame::user, "spec.model: ReduceSum of `x` [rows, 3]: there are no axes 1 to 3",
               [&] { graph.reduce_sum("a", x, 1, 3); });
}

TEST_F(ShapeErrors, OfGather) {
  expect_error(Blame::user, "spec.model: Gather of `w` [4] at `y` [rows]: the indices must be int64",
               [&] { graph.gather("a", w, y); });
  expect_error(Blame::user, "spec.model: Gather of `s` [] at `index` [rows]: `s` has no rows",
               [&] { graph.gather("a", s, index); });
}

TEST_F(ShapeErrors, OfTooManyDimensions) {
  expect_error(Blame::user, "spec.model: `five` [1, 1, 1, 1, 1] has more than four dimensions", [&] {
    graph.parameter("five", {1, 1, 1, 1, 1});
  });
}

}  // namespace
}  // namespace carrack::train
