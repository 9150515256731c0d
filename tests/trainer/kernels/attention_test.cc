// Attention against its evaluation in double precision, and what its bits depend on.
#include "trainer/kernels/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/thread_pool.h"
#include "trainer/reference/evaluate.h"

namespace carrack::train {
namespace {

struct Case {
  AttentionShape shape;
  bool masked = false;
};

std::size_t count(std::int64_t one, std::int64_t two, std::int64_t three = 1, std::int64_t four = 1) {
  return static_cast<std::size_t>(one * two * three * four);
}

std::vector<float> unit_numbers(std::size_t size, std::uint32_t seed) {
  std::vector<float> values = naive::numbers(size, seed);
  for (float& value : values) value = value / 8192;
  return values;
}

// Numbers for each input, and room for each result.
struct Data {
  explicit Data(const Case& of) : shape(of.shape), masked(of.masked) {
    if (!masked) return;
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 == 1 ? 0.0f : 2.0f;
  }

  void compute(cpu::ThreadPool* threads = nullptr) {
    const float* const seen = masked ? mask.data() : nullptr;
    cpu::attention(shape, {q.data(), k.data(), v.data(), seen, y.data()}, threads);
    cpu::attention_gradient(
        shape, {of_y.data(), q.data(), k.data(), v.data(), seen, of_q.data(), of_k.data(), of_v.data()}, threads);
  }
  std::vector<std::vector<float>> results() const { return {y, of_q, of_k, of_v}; }

  AttentionShape shape;
  bool masked;
  std::size_t q_size = count(shape.rows, shape.queries, shape.heads, shape.key_size);
  std::size_t k_size = count(shape.rows, shape.keys, shape.heads, shape.key_size);
  std::size_t v_size = count(shape.rows, shape.keys, shape.heads, shape.value_size);
  std::size_t y_size = count(shape.rows, shape.queries, shape.heads, shape.value_size);
  std::vector<float> q = unit_numbers(q_size, 1), k = unit_numbers(k_size, 2), v = unit_numbers(v_size, 3);
  std::vector<float> of_y = unit_numbers(y_size, 4), mask = std::vector<float>(count(shape.rows, shape.keys));
  std::vector<float> y = std::vector<float>(y_size, NAN), of_q = std::vector<float>(q_size, NAN);
  std::vector<float> of_k = std::vector<float>(k_size, NAN), of_v = std::vector<float>(v_size, NAN);
};

// The results in the order of Data::results().
std::vector<reference::Doubles> evaluated(const Data& data) {
  const AttentionShape& of = data.shape;
  Graph graph("spec.model");
  std::vector<ValueId> inputs;
  reference::Arguments arguments{.parameters = {}, .inputs = {}, .rows = of.rows, .draws = {}};
  const auto input = [&](const char* name, const Shape& shape, const std::vector<float>& values) {
    arguments.inputs.emplace_back(values.begin(), values.end());
    return graph.input(name, Type::float32, shape);
  };
  const ValueId of_y = input("of_y", {of.queries, of.heads * of.value_size}, data.of_y);
  inputs.push_back(input("q", {of.queries, of.heads * of.key_size}, data.q));
  inputs.push_back(input("k", {of.keys, of.heads * of.key_size}, data.k));
  inputs.push_back(input("v", {of.keys, of.heads * of.value_size}, data.v));
  if (data.masked) inputs.push_back(input("mask", {of.keys}, data.mask));
  const Attributes attributes{{"q_num_heads", of.heads}, {"is_causal", std::int64_t{of.causal}}};
  std::vector<ValueId> results{graph.append("Attention", attributes, inputs, "y")};
  inputs.insert(inputs.begin(), of_y);
  const auto gradients = graph.append("AttentionGradient", attributes, inputs, std::vector<std::string>{"a", "b", "c"});
  results.insert(results.end(), gradients.begin(), gradients.end());
  const std::vector<reference::Doubles> all = evaluate(graph, arguments);
  std::vector<reference::Doubles> chosen;
  for (const ValueId id : results) chosen.push_back(all[id]);
  return chosen;
}

// One block of queries, a whole one, several, and a part of one; more keys than queries and fewer.
const Case cases[] = {
    {{.rows = 1, .queries = 1, .keys = 1, .heads = 1, .key_size = 1, .value_size = 1}},
    {{.rows = 3, .queries = 5, .keys = 7, .heads = 2, .key_size = 3, .value_size = 4}},
    {{.rows = 2, .queries = 7, .keys = 5, .heads = 3, .key_size = 4, .value_size = 1}, true},
    {{.rows = 2, .queries = 64, .keys = 64, .heads = 2, .key_size = 16, .value_size = 16, .causal = true}},
    {{.rows = 1, .queries = 65, .keys = 65, .heads = 1, .key_size = 8, .value_size = 8, .causal = true}, true},
    {{.rows = 2, .queries = 130, .keys = 40, .heads = 1, .key_size = 5, .value_size = 3, .causal = true}},
    {{.rows = 2, .queries = 40, .keys = 130, .heads = 2, .key_size = 5, .value_size = 3, .causal = true}, true},
    {{.rows = 1, .queries = 130, .keys = 70, .heads = 2, .key_size = 32, .value_size = 2}, true},
};

TEST(Attention, AgreesWithItsEvaluationInDoublePrecision) {
  for (const Case& one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases));
    Data data(one);
    data.compute();
    const auto computed = data.results();
    const auto expected = evaluated(data);
    for (std::size_t result = 0; result < expected.size(); ++result) {
      ASSERT_EQ(computed[result].size(), expected[result].size());
      for (std::size_t i = 0; i < expected[result].size(); ++i) {
        ASSERT_NEAR(computed[result][i], expected[result][i], 3e-5) << "result " << result << ", element " << i;
      }
    }
  }
}

TEST(Attention, HasTheSameBitsOnAnyNumberOfThreadsAndBesideOtherRows) {
  for (const Case& one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases));
    Data data(one);
    data.compute();
    for (const int threads : {2, 3}) {
      cpu::ThreadPool pool(threads);
      Data again(one);
      again.compute(&pool);
      EXPECT_EQ(again.results(), data.results());
    }
    Case alone = one;
    alone.shape.rows = 1;
    Data first(alone);
    std::copy_n(data.mask.begin(), first.mask.size(), first.mask.begin());
    first.compute();
    const auto of_first = first.results(), of_all = data.results();
    for (std::size_t result = 0; result < of_first.size(); ++result) {
      EXPECT_TRUE(std::equal(of_first[result].begin(), of_first[result].end(), of_all[result].begin())) << result;
    }
  }
}

TEST(Attention, GivesZerosToAQueryThatSeesNoKey) {
  Data data({{.rows = 2, .queries = 3, .keys = 2, .heads = 1, .key_size = 2, .value_size = 2}, true});
  data.mask = {0, 0, 0, 1};
  data.compute();
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(data.y[i], 0);
    EXPECT_EQ(data.of_q[i], 0);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(data.of_k[i], 0);
    EXPECT_EQ(data.of_v[i], 0);
  }
  for (std::size_t query = 0; query < 3; ++query) {  // of the second row: they see its second key alone
    EXPECT_EQ(data.y[6 + 2 * query], data.v[6]);
    EXPECT_EQ(data.y[7 + 2 * query], data.v[7]);
  }
}

TEST(Attention, HidesNoNaNButThatOfKeysThatAreNotSeen) {
  Data data({{.rows = 1, .queries = 2, .keys = 3, .heads = 1, .key_size = 2, .value_size = 1}, true});
  data.mask = {1, 1, 0};
  data.k[4] = NAN;
  data.compute();
  EXPECT_FALSE(std::isnan(data.y[0]));
  data.k[2] = NAN;
  data.compute();
  EXPECT_TRUE(std::isnan(data.y[0]));
  EXPECT_TRUE(std::isnan(data.of_q[0]));
}

TEST(Attention, OfScoresThatAreFarApartHasNoOverflow) {
  Data data({{.rows = 1, .queries = 1, .keys = 2, .heads = 1, .key_size = 1, .value_size = 1}});
  data.q = {100}, data.k = {100, -100}, data.v = {3, 5};
  data.compute();
  EXPECT_EQ(data.y[0], 3);
  EXPECT_EQ(data.of_q[0], 0);
}

}  // namespace
}  // namespace carrack::train
