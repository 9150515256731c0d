#include "trainer/graph/graph.h"

#include <set>

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

TEST_F(Shapes, OfViewsHaveAsManyElements) {
  const ValueId sequence = graph.input("sequence", Type::float32, {5, 2});
  const ValueId steps = graph.append("Reshape", {{"shape", Dimensions{{5, true}, 2}}}, {sequence}, "steps");
  const ValueId back = graph.append("Reshape", {{"shape", Dimensions{batch_rows, 10}}}, {steps}, "back");
  EXPECT_EQ(shape(steps), "[5 rows, 2]");
  EXPECT_EQ(shape(back), "[rows, 10]");
  EXPECT_EQ(graph.source_of(back), sequence);
  EXPECT_EQ(graph.source_of(sequence), sequence);
}

TEST_F(Shapes, OfGatheredRowsAreThoseOfIndicesAndRows) {
  EXPECT_EQ(shape(graph.gather("a", v, index)), "[rows, 2]");
  EXPECT_EQ(shape(graph.gather("b", w, index)), "[rows]");
}

TEST_F(Shapes, OfNormalizedRowsHaveADeviationForEach) {
  const ValueId sequence = graph.input("sequence", Type::float32, {5, 2});
  const auto normalized = graph.append("LayerNormalization", {{"epsilon", 1e-3f}}, {sequence},
                                       std::vector<std::string>{"normalized", "deviation"});
  EXPECT_EQ(shape(normalized[0]), "[rows, 5, 2]");
  EXPECT_EQ(shape(normalized[1]), "[rows, 5, 1]");
}

TEST_F(ShapeErrors, OfNormalizedRows) {
  const ValueId row = graph.append("Reshape", {{"shape", Dimensions{{3, true}}}}, {x}, "row");
  expect_error(Blame::user,
               "spec.model: LayerNormalization of `row` [3 rows]: needs a last axis that is not that of the rows", [&] {
                 graph.append("LayerNormalization", {{"epsilon", 1e-3f}}, {row},
                              std::vector<std::string>{"normalized", "deviation"});
               });
}

TEST_F(Shapes, OfNormalizedBatchesHaveMeanAndVarianceOfEachColumn) {
  const ValueId sequence = graph.input("sequence", Type::float32, {5, 2});
  const auto normalized = graph.append("BatchNormalization", {{"epsilon", 1e-3f}},
                                       {sequence, graph.parameter("mean", {2}), graph.parameter("variance", {2})},
                                       std::vector<std::string>{"normalized", "means", "variances"});
  EXPECT_EQ(shape(normalized[0]), "[rows, 5, 2]");
  EXPECT_EQ(shape(normalized[1]), "[2]");
  EXPECT_EQ(shape(normalized[2]), "[2]");
}

TEST_F(ShapeErrors, OfNormalizedBatches) {
  const ValueId mean = graph.parameter("mean", {4});
  const auto normalize = [&](ValueId input) {
    graph.append("BatchNormalization", {{"epsilon", 1e-3f}}, {input, mean, mean},
                 std::vector<std::string>{"normalized", "means", "variances"});
  };
  expect_error(Blame::user,
               "spec.model: BatchNormalization of `x` [rows, 3] and `mean` [4] and `mean` [4]: needs a mean and a "
               "variance for each column, [3]",
               [&] { normalize(x); });
  const ValueId matrix = graph.parameter("matrix", {3, 4});
  expect_error(Blame::user,
               "spec.model: BatchNormalization of `matrix` [3, 4] and `mean` [4] and `mean` [4]: needs rows of the "
               "batch, and a last axis that is not theirs",
               [&] { normalize(matrix); });
}

TEST_F(ShapeErrors, OfDropout) {
  const ValueId parameter = graph.parameter("p", {3, 2});
  expect_error(Blame::user, "spec.model: Dropout of `p` [3, 2]: needs values of each row of the batch", [&] {
    graph.append("Dropout", {{"ratio", 0.5f}, {"seed", std::int64_t{1}}}, {parameter}, "some");
  });
}

TEST_F(Shapes, OfPaddedValuesAreLonger) {
  const auto pad = [&](std::int64_t axis, std::int64_t before, std::int64_t after) {
    return graph.append("Pad", {{"axis", axis}, {"before", before}, {"after", after}}, {x}, "padded");
  };
  EXPECT_EQ(shape(pad(1, 2, 1)), "[rows, 6]");
  expect_error(Blame::user, "spec.model: Pad of `x` [rows, 3]: there is no such axis, or it is that of the rows",
               [&] { pad(0, 1, 1); });
  expect_error(Blame::user, "spec.model: Pad of `x` [rows, 3]: the numbers of zeros cannot be negative",
               [&] { pad(1, -1, 1); });
}

TEST_F(ShapeErrors, OfViews) {
  const auto expect_no_place = [&](const Dimensions& shape) {
    const std::string error = "spec.model: Reshape of `x` [rows, 3]: there is no place for its elements in " +
                              text(shape) + ", which has more or fewer";
    expect_error(Blame::user, error.c_str(), [&] { graph.append("Reshape", {{"shape", shape}}, {x}, "view"); });
  };
  expect_no_place({batch_rows, 4});
  expect_no_place({3});
  expect_no_place({{3, true}, batch_rows});
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
  expect_error(Blame::user, "spec.model: Gather of `y` [rows]: it must be int64", [&] { graph.gather("a", w, y); });
  expect_error(Blame::user, "spec.model: Gather of `s` [] and `index` [rows]: `s` has no rows",
               [&] { graph.gather("a", s, index); });
}

TEST_F(Shapes, OfProductsOfTransposedOperandsAndOfVectors) {
  const auto shape_of = [&](bool ta, bool tb, Shape a, Shape b) {
    return shape(graph.append("Gemm", {{"transA", std::int64_t{ta}}, {"transB", std::int64_t{tb}}},
                              {graph.parameter("a", a), graph.parameter("b", b)}, "c"));
  };
  EXPECT_EQ(shape_of(false, false, {2, 3}, {3, 4}), "[2, 4]");
  EXPECT_EQ(shape_of(true, false, {3, 2}, {3, 4}), "[2, 4]");
  EXPECT_EQ(shape_of(false, true, {2, 3}, {4, 3}), "[2, 4]");
  EXPECT_EQ(shape_of(true, false, {3, 2}, {3}), "[2]");
  EXPECT_EQ(shape_of(false, true, {2}, {4}), "[2, 4]") << "a column and a row";
}

TEST_F(Shapes, OfSumsMayHaveTheirAxesStill) {
  EXPECT_EQ(shape(graph.append("ReduceSum", {{"axes", std::vector<std::int64_t>{1}}}, {x}, "s")), "[rows, 1]");
}

TEST_F(Shapes, OfExpandedValuesAreThoseOfTheAttribute) {
  const Attributes attributes{{"axes", std::vector<std::int64_t>{0}}, {"shape", Dimensions{batch_rows, 4}}};
  EXPECT_EQ(shape(graph.append("Expand", attributes, {w}, "e")), "[rows, 4]");
  expect_error(Blame::user, "spec.model: Expand of `v` [3, 2]: cannot be repeated to [rows, 4]", [&] {
    graph.append("Expand", {{"shape", Dimensions{batch_rows, 4}}}, {v}, "e");
  });
}

TEST_F(Shapes, OfJoinedValuesAddUpAlongTheAxis) {
  const auto concat = [&](std::int64_t axis, std::vector<ValueId> inputs) {
    return graph.append("Concat", {{"axis", axis}}, std::move(inputs), "c");
  };
  EXPECT_EQ(shape(concat(1, {x, graph.input("z", Type::float32, {2}), x})), "[rows, 8]");
  EXPECT_EQ(shape(concat(0, {v, v})), "[6, 2]");
  expect_error(Blame::user, "spec.model: Concat of `x` [rows, 3]: there is no such axis, or it is that of the rows",
               [&] { concat(0, {x}); });
  expect_error(Blame::user, "spec.model: Concat of `x` [rows, 3] and `y` [rows]: must have as many dimensions", [&] {
    concat(1, {x, y});
  });
  expect_error(Blame::user,
               "spec.model: Concat of `v` [3, 2] and `x` [rows, 3]: dimensions other than the axis must be the same",
               [&] {
                 concat(1, {v, x});
               });
  expect_error(Blame::user, "spec.model: Concat: it has at least 1 input", [&] { concat(1, {}); });
  expect_error(Blame::user, "spec.model: Concat of `index` [rows]: it must be float32", [&] { concat(0, {v, index}); });
}

TEST_F(Shapes, OfSlicesAreThoseOfTheirParts) {
  const auto slice = [&](std::int64_t start, std::int64_t end) {
    return graph.append("Slice", {{"axis", std::int64_t{1}}, {"start", start}, {"end", end}}, {x}, "s");
  };
  EXPECT_EQ(shape(slice(1, 3)), "[rows, 2]");
  for (const auto& [start, end] : {std::pair(-1, 1), {1, 1}, {2, 4}}) {
    expect_error(Blame::user, "spec.model: Slice of `x` [rows, 3]: there is no such part of the axis",
                 [&] { slice(start, end); });
  }
}

TEST_F(Shapes, OfReversedValuesAreTheirs) {
  const auto reverse = [&](std::int64_t axis) { return graph.append("Reverse", {{"axis", axis}}, {x}, "r"); };
  EXPECT_EQ(shape(reverse(1)), "[rows, 3]");
  for (const std::int64_t axis : {0, 2}) {
    expect_error(Blame::user, "spec.model: Reverse of `x` [rows, 3]: there is no such axis, or it is that of the rows",
                 [&] { reverse(axis); });
  }
}

struct RecurrentLayers : Some {
  ValueId sequence = graph.input("sequence", Type::float32, {5, 2});
  ValueId weights(const Shape& shape) { return graph.parameter("w" + std::to_string(graph.values().size()), shape); }
  std::vector<ValueId> append(std::string_view op, std::vector<ValueId> inputs) {
    return graph.append(op, {}, std::move(inputs), std::vector<std::string>{"y", "gates", "beside"});
  }
};

TEST_F(RecurrentLayers, GiveAStateForEachStep) {
  const auto lstm = append("LSTM", {sequence, weights({2, 12}), weights({3, 12}), weights({12})});
  EXPECT_EQ(shape(lstm[0]), "[rows, 5, 3]");
  EXPECT_EQ(shape(lstm[1]), "[rows, 5, 12]");
  EXPECT_EQ(shape(lstm[2]), "[rows, 5, 3]");
  const auto gru = append("GRU", {lstm[0], weights({3, 6}), weights({2, 6}), weights({6}), weights({6})});
  EXPECT_EQ(shape(gru[0]), "[rows, 5, 2]");
  EXPECT_EQ(shape(gru[1]), "[rows, 5, 6]");
  EXPECT_EQ(shape(gru[2]), "[rows, 5, 2]");
  EXPECT_EQ(shape(graph.append("StepInputs", {}, {lstm[0], sequence}, "s")), "[rows, 5, 6]");
  EXPECT_EQ(shape(graph.append("StepInputs", {}, {lstm[0]}, "t")), "[rows, 5, 4]");
}

struct AttentionLayers : RecurrentLayers {
  ValueId keys = graph.input("keys", Type::float32, {4, 2}), values = graph.input("values", Type::float32, {4, 6});
  ValueId mask = graph.input("mask", Type::float32, {4});
  ValueId append(std::vector<ValueId> inputs, std::int64_t heads = 2) {
    return graph.append("Attention", {{"q_num_heads", heads}}, std::move(inputs), "means");
  }
};

TEST_F(AttentionLayers, HaveAMeanOfTheValuesForEachQuery) {
  EXPECT_EQ(shape(append({sequence, keys, values})), "[rows, 5, 6]");
  EXPECT_EQ(shape(append({sequence, keys, values, mask})), "[rows, 5, 6]");
}

TEST_F(AttentionLayers, RefuseShapesThatDoNotFit) {
  const std::string all = "`sequence` [rows, 5, 2] and `keys` [rows, 4, 2] and `values` [rows, 4, 6]";
  const auto expect = [&](const std::string& error, std::vector<ValueId> inputs, std::int64_t heads = 2) {
    expect_error(Blame::user, ("spec.model: Attention of " + error).c_str(), [&] { append(inputs, heads); });
  };
  expect("`x` [rows, 3] and `keys` [rows, 4, 2] and `values` [rows, 4, 6]: needs sequences [rows, steps, values]",
         {x, keys, values});
  expect(
      "`sequence` [rows, 5, 2] and `values` [rows, 4, 6] and `values` [rows, 4, 6]: `values` must have as many "
      "values as the queries",
      {sequence, values, values});
  expect(
      "`sequence` [rows, 5, 2] and `keys` [rows, 4, 2] and `sequence` [rows, 5, 2]: needs a value for each key, and "
      "all of each row",
      {sequence, keys, sequence});
  expect(all + ": cannot be divided among 3 heads", {sequence, keys, values}, 3);
  expect(all + ": cannot be divided among 0 heads", {sequence, keys, values}, 0);
  expect(all + " and `x` [rows, 3]: `x` must have a value for each key", {sequence, keys, values, x});
  expect(all + " and `mask` [rows, 4] and `mask` [rows, 4]: needs at most four inputs",
         {sequence, keys, values, mask, mask});
}

TEST_F(RecurrentLayers, RefuseShapesThatDoNotFit) {
  const ValueId a = graph.parameter("a", {2, 12}), r = graph.parameter("r", {3, 12}), b = graph.parameter("b", {12});
  const std::string needs = ": needs X [rows, steps, inputs], W [inputs, 4 units] and R [units, 4 units]";
  const auto expect = [&](const std::string& error, std::vector<ValueId> inputs) {
    expect_error(Blame::user, ("spec.model: LSTM of " + error).c_str(), [&] { append("LSTM", inputs); });
  };
  expect("`x` [rows, 3] and `a` [2, 12] and `r` [3, 12] and `b` [12]" + needs, {x, a, r, b});
  expect("`sequence` [rows, 5, 2] and `r` [3, 12] and `r` [3, 12] and `b` [12]" + needs, {sequence, r, r, b});
  expect("`sequence` [rows, 5, 2] and `a` [2, 12] and `a` [2, 12] and `b` [12]" + needs, {sequence, a, a, b});
  expect("`sequence` [rows, 5, 2] and `a` [2, 12] and `r` [3, 12] and `r` [3, 12]: `r` must have 12 elements",
         {sequence, a, r, r});
  expect_error(Blame::user,
               "spec.model: GRU of `sequence` [rows, 5, 2] and `a` [2, 12] and `r` [3, 12] and `b` [12] and `b` [12]: "
               "needs X [rows, steps, inputs], W [inputs, 3 units] and R [units, 3 units]",
               [&] {
                 append("GRU", {sequence, a, r, b, b});
               });
  expect_error(Blame::user,
               "spec.model: StepInputs of `sequence` [rows, 5, 2] and `x` [rows, 3]: needs at most one other sequence, "
               "of as many steps",
               [&] {
                 graph.append("StepInputs", {}, {sequence, x}, "s");
               });
  expect_error(Blame::user, "spec.model: StepInputs of `x` [rows, 3]: needs a sequence [rows, steps, units]",
               [&] { graph.append("StepInputs", {}, {x}, "s"); });
}

TEST_F(ShapeErrors, OfLosses) {
  expect_error(Blame::user,
               "spec.model: SoftmaxCrossEntropyLoss of `x` [rows, 3] and `index` [rows]: needs the scores of each "
               "class on the left, and one label for each row on the right",
               [&] {
                 graph.append("SoftmaxCrossEntropyLoss", {}, {x, index}, std::vector<std::string>{"l", "p"});
               });
  expect_error(Blame::user, "spec.model: HuberLoss of `x` [rows, 3] and `y` [rows]: must have the same shape", [&] {
    graph.append("HuberLoss", {{"delta", 1.0f}}, {x, y}, "l");
  });
}

TEST_F(ShapeErrors, OfOperatorsThatAreUsedInAWayThatTheyAreNotMadeFor) {
  expect_error(Blame::user, "spec.model: there is no operator Convolve",
               [&] { graph.append("Convolve", {}, {x}, "c"); });
  expect_error(Blame::user, "spec.model: Gemm has no attribute `alpha`", [&] {
    graph.append("Gemm", {{"alpha", 2.0f}}, {v, v}, "c");
  });
  expect_error(Blame::user, "spec.model: Add of `x` [rows, 3]: it has 2 inputs",
               [&] { graph.append("Add", {}, {x}, "c"); });
  expect_error(Blame::user,
               "spec.model: Gemm of `v` [3, 2] and `v` [3, 2]: the inner dimensions of the product must be "
               "the same",
               [&] {
                 graph.append("Gemm", {}, {v, v}, "c");
               });
  expect_error(Blame::user, "spec.model: Gemm of `s` [] and `v` [3, 2]: needs matrices or vectors", [&] {
    graph.append("Gemm", {}, {s, v}, "c");
  });
  expect_error(Blame::user, "spec.model: ReduceSum of `x` [rows, 3]: the axes must follow one another", [&] {
    graph.append("ReduceSum", {{"axes", std::vector<std::int64_t>{1, 0}}}, {x}, "c");
  });
  expect_error(Blame::user, "spec.model: ReduceSum of `x` [rows, 3]: needs an axis",
               [&] { graph.reduce_sum("c", x, 1, 1); });
}

TEST(Operators, HaveNamesThatAreTheirs) {
  std::set<std::string_view> names;
  for (const Operator* op : all_operators()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_EQ(find_operator(op->name), op);
  }
  EXPECT_EQ(find_operator("add"), nullptr);
}

TEST(Dimension, IsANumberOrSoManyTimesTheRows) {
  EXPECT_EQ(Dimension(3).with_rows(7), 3);
  EXPECT_EQ(Dimension(3, true).with_rows(7), 21);
  EXPECT_EQ(text(Dimensions{batch_rows, Dimension(2, true), 5}), "[rows, 2 rows, 5]");
  EXPECT_NE(Dimension(1), batch_rows);
}

TEST_F(ShapeErrors, OfTooManyDimensions) {
  expect_error(Blame::user, "spec.model: `five` [1, 1, 1, 1, 1] has more than four dimensions", [&] {
    graph.parameter("five", {1, 1, 1, 1, 1});
  });
}

}  // namespace
}  // namespace carrack::train
