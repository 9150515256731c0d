// Gradients of graphs against central differences.
#include "trainer/graph/gradient.h"

#include <algorithm>
#include <cmath>

#include "tests/trainer/execution/differences.h"

namespace carrack::train {
namespace {

struct Gradient : testing::Test {
  Graph graph{"spec.model"};
  ValueId x = graph.input("x", Type::float32, {3});
};

ValueId reshape(Graph& graph, ValueId value, const Dimensions& shape) {
  return graph.append("Reshape", {{"shape", shape}}, {value}, "view");
}

// Of an input, of a parameter, of a result, and of a view; the gradient of the parameter is that of its view.
TEST_F(Gradient, PassesThroughViews) {
  const ValueId w = reshape(graph, graph.parameter("w", {6}), {3, 2});
  const ValueId product = graph.matmul("product", reshape(graph, reshape(graph, x, {{3, true}}), {batch_rows, 3}), w);
  const ValueId steps = graph.matmul("steps", reshape(graph, product, {{2, true}, 1}), graph.parameter("v", {1, 4}));
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, reshape(graph, steps, {batch_rows, 8})), curved);
}

TEST_F(Gradient, OfTheViewAlone) {
  const ValueId w = graph.parameter("w", {3, 1});
  const ValueId view = reshape(graph, w, {3});
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, graph.mul("m", view, view)), curved);
  const ValueId loss = graph.reduce_sum("loss", reshape(graph, graph.parameter("u", {2, 2}), {4}), 0, 1);
  expect_gradients_as_by_differences(graph, graph.add("sum", loss, graph.reduce_sum("loss", w, 0, 2)));
}

TEST_F(Gradient, OfLinearRegression) {
  const ValueId y = graph.input("y", Type::float32, {});
  const ValueId product = graph.matmul("product", x, graph.parameter("w", {3}));
  const ValueId prediction = graph.add("prediction", product, graph.parameter("b", {1}));
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, graph.sub("difference", prediction, y)));
}

TEST_F(Gradient, OfProductsOnEitherSide) {
  const ValueId right = graph.matmul("right", x, graph.parameter("v", {3, 2}));
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, right));
  const ValueId left = graph.add("left", right, graph.input("z", Type::float32, {2}));
  const ValueId both = graph.matmul("both", left, graph.parameter("u", {2, 4}));
  const ValueId last = graph.matmul("last", both, graph.parameter("t", {4}));
  expect_gradients_as_by_differences(graph, graph.reduce_sum("sum", last, 0, 1));
}

// What the gradient of a product appends are products with transposed operands; theirs are the other six cases.
TEST_F(Gradient, OfProductsWithTransposedOperands) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      Graph product("spec.model");
      const ValueId a = product.parameter("a", ta ? Shape{3, 2} : Shape{2, 3});
      const ValueId b = product.parameter("b", tb ? Shape{4, 3} : Shape{3, 4});
      const ValueId c =
          product.append("Gemm", {{"transA", std::int64_t{ta}}, {"transB", std::int64_t{tb}}}, {a, b}, "c");
      expect_gradients_as_by_differences(product, product.reduce_sum("sum", c, 0, 2));
    }
  }
}

TEST_F(Gradient, OfExpandedValuesIsSummed) {
  const ValueId p = graph.parameter("p", {2, 1});
  const Dimensions shape{3, 2, 4};
  const Attributes attributes{{"axes", std::vector<std::int64_t>{0}}, {"shape", shape}};
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, graph.append("Expand", attributes, {p}, "e")));
}

TEST_F(Gradient, OfProductsOfVectors) {
  for (const bool both : {false, true}) {
    Graph outer("spec.model");
    const ValueId a = outer.parameter("a", {3}), b = both ? outer.parameter("b", {4}) : outer.mul("b", a, a);
    const ValueId product = outer.append("Gemm", {{"transB", std::int64_t{1}}}, {a, b}, "c");
    if (both) expect_gradients_as_by_differences(outer, outer.reduce_sum("sum", product, 0, 2));
    const ValueId inner = outer.append("Gemm", {{"transA", std::int64_t{1}}}, {product, a}, "d");
    if (!both) continue;  // Of the fourth degree, which central differences do not give exactly.
    expect_gradients_as_by_differences(outer, outer.reduce_sum("sum", inner, 0, 1));
  }
}

// By numbers that are not near 0.
TEST_F(Gradient, OfQuotientsWithBroadcastOperands) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{1, 3}, Shape{2, 1, 3}}) {
    Graph small("spec.model");
    const ValueId sum = small.add("sum", small.input("x", Type::float32, {3}), small.parameter("p", {3}));
    const ValueId q = small.parameter("q", shape);
    const ValueId two = small.append("Constant", {{"value", 2.0f}}, {}, "two");
    const ValueId divisor = small.add("divisor", small.mul("square", q, q), two);
    const ValueId quotient = small.append("Div", {}, {sum, divisor}, "quotient");
    expect_gradients_as_by_differences(small, sum_of_squares(small, quotient), curved);
  }
}

TEST_F(Gradient, IsZeroForAFixedParameterAndGoesNoFurther) {
  const ValueId fixed = graph.fixed_parameter("fixed", {3});
  const ValueId product = graph.matmul("product", graph.sub("difference", x, fixed), graph.parameter("w", {3, 2}));
  const Gradients made = gradients(graph, sum_of_squares(graph, product));
  const auto count = [&](std::string_view name) { return std::ranges::count(made.graph.values(), name, &Value::name); };
  EXPECT_EQ(count("gradient of fixed"), 2) << "a zero, and as many as there are elements";
  EXPECT_EQ(count("gradient of difference"), 0);
  Executor executor(made, layout_of(graph), 2);
  const std::vector<float> inputs{1, 2, 3, 4, 5, 6}, parameters{1, 1, 1, 1, 2, 3, 4, 5, 6};
  std::vector<float> gradient(9, NAN);
  const std::vector<std::int64_t> lanes{1, 2};
  executor.run(parameters, std::vector<FeatureValues>{std::span<const float>(inputs)}, 2, gradient, {lanes, {}});
  EXPECT_EQ(std::vector<float>(gradient.begin(), gradient.begin() + 3), (std::vector<float>{0, 0, 0}));
  EXPECT_NE(gradient[5], 0);
}

TEST_F(Gradient, OfBroadcastOperands) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{3}, Shape{1, 1}, Shape{1, 3}, Shape{2, 1, 3}, Shape{2, 1, 1}}) {
    Graph small("spec.model");
    const ValueId input = small.input("x", Type::float32, {3});
    const ValueId p = small.parameter("p", shape);
    expect_gradients_as_by_differences(small, sum_of_squares(small, small.add("a", input, p)));
    expect_gradients_as_by_differences(small, sum_of_squares(small, small.mul("m", p, small.neg("n", input))));
    const ValueId q = small.parameter("q", {1, 3});
    expect_gradients_as_by_differences(small, sum_of_squares(small, small.sub("s", p, small.sub("t", q, p))));
  }
}

TEST_F(Gradient, OfSumsOverAnyAxes) {
  const ValueId p = graph.parameter("p", {2, 3, 4});
  for (std::size_t begin = 0; begin < 3; ++begin) {
    for (std::size_t end = begin + 1; end <= 3; ++end) {
      expect_gradients_as_by_differences(graph, sum_of_squares(graph, graph.reduce_sum("sum", p, begin, end)));
    }
  }
}

// Of numbers that are not near 0.
TEST_F(Gradient, OfSquareRoots) {
  const ValueId p = graph.parameter("p", {2, 3}), two = graph.append("Constant", {{"value", 2.0f}}, {}, "two");
  const ValueId root = graph.append("Sqrt", {}, {graph.add("sum", graph.mul("square", p, p), two)}, "root");
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, graph.mul("m", root, p)), curved);
}

TEST_F(Gradient, OfGatheredRowsAddsUpWhereARowComesTwice) {
  const ValueId index = graph.input("index", Type::int64, {});
  const ValueId table = graph.parameter("table", {5, 2}), counts = graph.parameter("counts", {3});
  const ValueId rows_of_table = sum_of_squares(graph, graph.gather("rows", table, index));
  const ValueId elements = sum_of_squares(graph, graph.gather("elements", counts, index));
  expect_gradients_as_by_differences(graph, graph.add("loss", rows_of_table, elements));
}

TEST_F(Gradient, OfActivationFunctions) {
  for (const std::string_view op : {"Relu", "Sigmoid", "Tanh", "Gelu", "Swish"}) {
    SCOPED_TRACE(op);
    Graph one("spec.model");
    const ValueId product = one.matmul("product", one.input("x", Type::float32, {3}), one.parameter("w", {3, 4}));
    const ValueId inner = one.append(op, {}, {product}, "inner");
    const ValueId outer = one.append(op, {}, {one.matmul("again", inner, one.parameter("v", {4, 2}))}, "outer");
    expect_gradients_as_by_differences(one, sum_of_squares(one, outer), curved);
  }
}

TEST_F(Gradient, OfSoftmaxCrossEntropy) {
  const ValueId label = graph.input("label", Type::int64, {1}), weight = graph.input("weight", Type::float32, {1});
  const ValueId scores = graph.matmul("scores", x, graph.parameter("w", {3, 4}));
  const ValueId loss =
      graph.append("SoftmaxCrossEntropyLoss", {}, {scores, label}, std::vector<std::string>{"l", "p"})[0];
  const ValueId weighted = graph.mul("weighted", loss, weight);
  expect_gradients_as_by_differences(graph, graph.reduce_sum("loss", weighted, 0, 2), curved);
}

TEST_F(Gradient, OfNormalizedRows) {
  for (const float epsilon : {1e-3f, 1.0f}) {
    Graph one("spec.model");
    const ValueId product = one.matmul("product", one.input("x", Type::float32, {3}), one.parameter("w", {3, 5}));
    const ValueId normalized =
        one.append("LayerNormalization", {{"epsilon", epsilon}}, {product}, std::vector<std::string>{"y", "d"})[0];
    const ValueId scaled = one.mul("scaled", normalized, one.parameter("gamma", {5}));
    const ValueId outer = one.matmul("outer", scaled, one.parameter("v", {5, 2}));
    expect_gradients_as_by_differences(one, sum_of_squares(one, outer), curved);
  }
}

ValueId normalized_batch(Graph& graph, ValueId x, ValueId mean, ValueId variance, float epsilon) {
  return graph.append("BatchNormalization", {{"epsilon", epsilon}}, {x, mean, variance},
                      std::vector<std::string>{"y", "means", "variances"})[0];
}

// Through mean and variance. Those that move have no gradient here, as they are fixed.
TEST_F(Gradient, OfNormalizedBatches) {
  for (const float epsilon : {1e-3f, 1.0f}) {
    Graph one("spec.model");
    const ValueId sequence = one.input("sequence", Type::float32, {2, 3});
    const ValueId product = one.mul("product", sequence, one.parameter("w", {3}));
    const ValueId steps = one.add("steps", product, one.mul("square", product, product));
    const ValueId normalized =
        normalized_batch(one, steps, one.fixed_parameter("mean", {3}), one.fixed_parameter("variance", {3}), epsilon);
    const ValueId scaled = one.mul("scaled", normalized, one.parameter("gamma", {3}));
    const ValueId curve = one.append("Tanh", {}, {one.add("moved", scaled, one.parameter("beta", {3}))}, "curve");
    expect_gradients_as_by_differences(one, sum_of_squares(one, one.add("outer", curve, sequence)), curved);
  }
}

// Even if nothing before the normalization is trained.
TEST_F(Gradient, OfMovingMomentsIsThoseOfTheRecords) {
  const ValueId mean = graph.parameter("mean", {3}), variance = graph.parameter("variance", {3});
  const ValueId loss = sum_of_squares(graph, normalized_batch(graph, x, mean, variance, 1e-3f));
  Executor executor(gradients(graph, loss), layout_of(graph), 4);
  const std::vector<float> inputs{1, 2, 3, 3, 6, 3, 5, 0, 1, 5, 0, 5}, parameters(6, NAN);
  std::vector<float> gradient(6);
  const std::vector<FeatureValues> features{std::span<const float>(inputs)};
  const auto run = [&](const std::vector<std::int64_t>& lanes) {
    executor.run(parameters, features, 4, gradient, {lanes, {}});
    return gradient;
  };
  EXPECT_EQ(run({}), (std::vector<float>{14, 8, 12, 11, 24, 8}));
  EXPECT_EQ(run({4}), gradient);
  EXPECT_EQ(run({2, 4}), (std::vector<float>{14, 8, 12, 2, 8, 8})) << "of each lane by itself";
  EXPECT_EQ(run({0, 1, 2, 4}), (std::vector<float>{14, 8, 12, 0, 0, 8})) << "one row has no variance";
}

TEST_F(Gradient, OfValuesOfWhichSomeAreDropped) {
  const ValueId product = graph.matmul("product", x, graph.parameter("w", {3, 4}));
  const ValueId some = graph.append("Dropout", {{"ratio", 0.4f}, {"seed", std::int64_t{5}}}, {product}, "some");
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, some));
}

TEST_F(Gradient, OfElementwiseLosses) {
  const ValueId target = graph.input("target", Type::float32, {4});
  const ValueId scores = graph.matmul("scores", x, graph.parameter("w", {3, 4}));
  const ValueId label = graph.append("Sigmoid", {}, {target}, "label");  // from 0 to 1
  const ValueId sigmoid = graph.append("SigmoidCrossEntropyLoss", {}, {scores, label}, "sigmoid");
  expect_gradients_as_by_differences(graph, graph.reduce_sum("loss", sigmoid, 0, 2), curved);
  const ValueId huber = graph.append("HuberLoss", {{"delta", 0.3f}}, {scores, target}, "huber");
  expect_gradients_as_by_differences(graph, graph.reduce_sum("loss", huber, 0, 2), curved);
}

// Of numbers so far from zero, where the slope jumps, that no difference crosses it.
TEST_F(Gradient, OfAbsoluteValues) {
  const ValueId scores = graph.matmul("scores", x, graph.parameter("w", {3, 4}));
  for (const float far : {4.0f, -4.0f}) {
    const ValueId moved = graph.add("moved", scores, graph.append("Constant", {{"value", far}}, {}, "far"));
    expect_gradients_as_by_differences(graph, graph.reduce_sum("loss", graph.append("Abs", {}, {moved}, "a"), 0, 2));
  }
}

TEST_F(Gradient, OfJoinedValues) {
  const ValueId p = graph.parameter("p", {2, 3, 4}), q = graph.parameter("q", {2, 1, 4});
  const ValueId joined = graph.append("Concat", {{"axis", std::int64_t{1}}}, {p, q, p}, "joined");
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, joined));
  const ValueId w = graph.parameter("w", {5});
  const ValueId row =
      graph.append("Concat", {{"axis", std::int64_t{1}}}, {x, graph.input("z", Type::float32, {2})}, "r");
  const ValueId loss = sum_of_squares(graph, graph.matmul("product", row, w));
  expect_gradients_as_by_differences(graph, graph.add("both", loss, sum_of_squares(graph, joined)));
}

TEST_F(Gradient, OfParts) {
  const ValueId p = graph.parameter("p", {2, 5, 3});
  const auto slice = [&](std::int64_t axis, std::int64_t start, std::int64_t end) {
    const ValueId part = graph.append("Slice", {{"axis", axis}, {"start", start}, {"end", end}}, {p}, "part");
    return sum_of_squares(graph, part);
  };
  const ValueId first = graph.add("first", slice(0, 1, 2), slice(1, 0, 2));
  const ValueId second = graph.add("second", slice(1, 4, 5), slice(2, 1, 3));
  expect_gradients_as_by_differences(graph, graph.add("all", first, second));
  const ValueId sequence = graph.input("sequence", Type::float32, {4, 3});
  const ValueId product = graph.mul("product", sequence, graph.parameter("q", {3}));
  const ValueId last = graph.append(
      "Slice", {{"axis", std::int64_t{1}}, {"start", std::int64_t{3}}, {"end", std::int64_t{4}}}, {product}, "last");
  expect_gradients_as_by_differences(graph, graph.add("both", first, sum_of_squares(graph, last)));
}

TEST_F(Gradient, OfParametersThatShareOneIsWrittenForEach) {
  const ValueId p = graph.parameter("p", {3}), q = graph.parameter("q", {3});
  expect_gradients_as_by_differences(graph, graph.reduce_sum("loss", graph.add("sum", p, q), 0, 1));
}

TEST_F(Gradient, OfALossThatIsAParameterIsOne) {
  const ValueId p = graph.parameter("p", {});
  expect_gradients_as_by_differences(graph, p);
}

TEST_F(Gradient, IsReadyFirstWhereTheWalkBackComesFirst) {
  const ValueId first = graph.parameter("first", {3, 2}), last = graph.parameter("last", {2});
  const ValueId loss = sum_of_squares(graph, graph.matmul("end", graph.matmul("middle", x, first), last));
  EXPECT_EQ(gradients(graph, loss).ready_order, (std::vector<std::size_t>{1, 0}));
}

TEST_F(Gradient, RefusesALossThatIsNoneAndParametersWithoutEffect) {
  const ValueId w = graph.parameter("w", {3});
  const ValueId product = graph.matmul("product", x, w);
  expect_error(Blame::user, "spec.model: the loss `product` [rows] is not a scalar",
               [&] { gradients(graph, product); });
  graph.parameter("unused", {2, 2});
  expect_error(Blame::user, "spec.model: the loss does not depend on `unused` [2, 2]",
               [&] { gradients(graph, graph.reduce_sum("loss", product, 0, 1)); });
}

}  // namespace
}  // namespace carrack::train
