// Attention and its gradient: their bits must be those of the CPU.
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"
#include "trainer/kernels/attention.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

// The CPU computes 64 queries at once.
const AttentionShape all_shapes[] = {
    {},
    {.rows = 0, .queries = 2, .keys = 3},
    {.rows = 2, .queries = 0, .keys = 3, .heads = 2, .key_size = 2, .value_size = 2},
    {.rows = 2, .queries = 5, .keys = 7, .heads = 3, .key_size = 4, .value_size = 6},
    {.rows = 3, .queries = 7, .keys = 5, .heads = 2, .key_size = 3, .value_size = 2, .causal = true},
    {.rows = 1, .queries = 34, .keys = 33, .heads = 1, .key_size = 33, .value_size = 35},
    {.rows = 1, .queries = 70, .keys = 70, .heads = 2, .key_size = 5, .value_size = 3, .causal = true},
    {.rows = 1, .queries = 70, .keys = 100, .heads = 1, .key_size = 2, .value_size = 3, .causal = true},
    {.rows = 1, .queries = 130, .keys = 66, .heads = 1, .key_size = 3, .value_size = 2, .causal = true},
};

std::string text_of(const AttentionShape& shape) {
  return std::to_string(shape.rows) + " rows, " + std::to_string(shape.queries) + " queries, " +
         std::to_string(shape.keys) + " keys, " + std::to_string(shape.heads) + " heads" +
         (shape.causal ? ", causal" : "");
}

std::vector<float> floats(std::int64_t size, std::uint32_t seed) {
  std::vector<float> values = naive::numbers(static_cast<std::size_t>(size), seed);
  for (float& value : values) value /= 8192;
  return values;
}

// Of [rows, keys]; the first row sees nothing, the others do not see their first key, nor every third.
std::vector<float> mask_of(const AttentionShape& shape) {
  std::vector<float> mask;
  for (std::int64_t i = 0; i < shape.rows * shape.keys; ++i) {
    mask.push_back(i < shape.keys || i % shape.keys == 0 || i % 3 == 1 ? 0.0f : 1.0f);
  }
  return mask;
}

// What an attention and its gradient read and write.
struct Data {
  explicit Data(const AttentionShape& of, bool has_nan = false)
      : shape(of),
        q(floats(of.rows * of.queries * of.heads * of.key_size, 1)),
        k(floats(of.rows * of.keys * of.heads * of.key_size, 2)),
        v(with_nan(floats(of.rows * of.keys * of.heads * of.value_size, 3), has_nan)),
        of_y(with_nan(floats(of.rows * of.queries * of.heads * of.value_size, 4), has_nan)),
        mask(mask_of(of)),
        y(floats(std::ssize(of_y.host), 5)),
        of_q(floats(std::ssize(q.host), 6)),
        of_k(floats(std::ssize(k.host), 7)),
        of_v(floats(std::ssize(v.host), 8)) {}

  // The last element, and one in the middle.
  static std::vector<float> with_nan(std::vector<float> values, bool has_nan) {
    if (has_nan) values[values.size() / 2] = values.back() = NAN;
    return values;
  }

  AttentionShape shape;
  Both q, k, v, of_y, mask, y, of_q, of_k, of_v;
};

// With scratch memory for so many heads at once.
void check_attention(Data& of, bool has_mask, std::int64_t heads_at_once) {
  cpu::attention(of.shape, {of.q.host.data(), of.k.host.data(), of.v.host.data(),
                            has_mask ? of.mask.host.data() : nullptr, of.y.host.data()});
  cuda::Stream stream;
  cuda::Buffer scratch(static_cast<std::size_t>(heads_at_once * of.shape.queries * of.shape.keys));
  cuda::attention(stream, of.shape,
                  {of.q.device.data(), of.k.device.data(), of.v.device.data(),
                   has_mask ? of.mask.device.data() : nullptr, of.y.device.data()},
                  {scratch.data(), scratch.size()});
  stream.wait();
  check_bits("attention", text_of(of.shape), of.y.device, of.y.host);
}

void check_gradient(Data& of, bool has_mask, std::int64_t heads_at_once) {
  cpu::attention_gradient(of.shape, {of.of_y.host.data(), of.q.host.data(), of.k.host.data(), of.v.host.data(),
                                     has_mask ? of.mask.host.data() : nullptr, of.of_q.host.data(), of.of_k.host.data(),
                                     of.of_v.host.data()});
  cuda::Stream stream;
  cuda::Buffer scratch(static_cast<std::size_t>(2 * heads_at_once * of.shape.queries * of.shape.keys));
  cuda::attention_gradient(
      stream, of.shape,
      {of.of_y.device.data(), of.q.device.data(), of.k.device.data(), of.v.device.data(),
       has_mask ? of.mask.device.data() : nullptr, of.of_q.device.data(), of.of_k.device.data(), of.of_v.device.data()},
      {scratch.data(), scratch.size()});
  stream.wait();
  check_bits("attention_gradient", "q, " + text_of(of.shape), of.of_q.device, of.of_q.host);
  check_bits("attention_gradient", "k, " + text_of(of.shape), of.of_k.device, of.of_k.host);
  check_bits("attention_gradient", "v, " + text_of(of.shape), of.of_v.device, of.of_v.host);
}

void attention_gives_the_bits_of_the_cpu() {
  for (const AttentionShape& shape : all_shapes) {
    for (const bool has_mask : {false, true}) {
      Data of(shape);
      check_attention(of, has_mask, shape.rows * shape.heads);
      check_gradient(of, has_mask, shape.rows * shape.heads);
    }
  }
}

void attention_of_few_heads_at_once_gives_the_bits_of_the_cpu() {
  const AttentionShape shape{.rows = 2, .queries = 5, .keys = 7, .heads = 3, .key_size = 4, .value_size = 6};
  for (const std::int64_t heads_at_once : {1, 4}) {
    Data of(shape);
    check_attention(of, true, heads_at_once);
    check_gradient(of, true, heads_at_once);
  }
}

// Weights of 0 multiply them on the CPU, too, but only within a block of queries.
void values_that_are_nan_reach_what_they_reach_on_the_cpu() {
  for (const AttentionShape& shape : all_shapes) {
    if (shape.rows * shape.queries == 0) continue;
    Data of(shape, true);
    check_attention(of, false, shape.rows * shape.heads);
    check_gradient(of, false, shape.rows * shape.heads);
  }
}

void scores_that_are_infinite_give_the_bits_of_the_cpu() {
  Data of({.rows = 2, .queries = 4, .keys = 40, .heads = 1, .key_size = 2});
  for (std::size_t i = 0; i < 3; ++i) of.q.host[i] = i % 2 == 0 ? INFINITY : -INFINITY;
  of.q.host[5] = 1e38f;
  const Both q(of.q.host);
  q.device.copy_to(of.q.device);
  for (const bool has_mask : {false, true}) check_attention(of, has_mask, 2);
}

void attention_of_more_rows_than_a_grid_has_gives_the_bits_of_the_cpu() {
  Data of({.queries = 528 * 16 + 1, .keys = 1});
  check_attention(of, false, 1);
}

void attention_to_no_keys_gives_zeros() {
  Data of({.rows = 2, .queries = 3, .keys = 0, .heads = 2, .value_size = 2});
  cuda::Stream stream;
  cuda::attention(stream, of.shape, {of.q.device.data(), nullptr, nullptr, nullptr, of.y.device.data()}, {});
  stream.wait();
  check_bits("attention", "no keys", of.y.device, std::vector<float>(of.y.host.size()));
}

void check_refused(const char* expected, void (*run)(const AttentionShape&, std::span<float>)) {
  try {
    cuda::Buffer scratch(5);
    run({.queries = 2, .keys = 3}, {scratch.data(), scratch.size()});
  } catch (const Error& error) {
    return check(error.blame() == Blame::bug && error.what() == std::string(expected), error.what());
  }
  check(false, std::string("no error, but should be: ") + expected);
}

void scratch_memory_too_small_for_a_head_is_refused() {
  check_refused("cuda::attention: the scratch memory is too small for one head",
                [](const AttentionShape& shape, std::span<float> scratch) {
                  cuda::Stream stream;
                  cuda::attention(stream, shape, {}, scratch);
                });
  check_refused("cuda::attention_gradient: the scratch memory is too small for one head",
                [](const AttentionShape& shape, std::span<float> scratch) {
                  cuda::Stream stream;
                  cuda::attention_gradient(stream, shape, {}, scratch);
                });
}

// All heads, unless they are many.
constexpr std::int64_t most = cuda::attention_weights_max;
static_assert(cuda::attention_scratch_floats({.rows = 2, .queries = 5, .keys = 7, .heads = 3}) == 2 * 5 * 7 * 3);
static_assert(cuda::attention_scratch_floats({.rows = 0, .queries = 5, .keys = 7}) == 0);
static_assert(cuda::attention_scratch_floats({.rows = 2, .queries = 0, .keys = 7}) == 0);
static_assert(cuda::attention_scratch_floats({.rows = 3, .queries = most / 2, .keys = 1}) == most);
static_assert(cuda::attention_scratch_floats({.rows = 3, .queries = most, .keys = 2}) == 2 * most);

}  // namespace

std::vector<Case> attention_cases() {
  return {
      {"attention_gives_the_bits_of_the_cpu", attention_gives_the_bits_of_the_cpu},
      {"attention_of_few_heads_at_once_gives_the_bits_of_the_cpu",
       attention_of_few_heads_at_once_gives_the_bits_of_the_cpu},
      {"values_that_are_nan_reach_what_they_reach_on_the_cpu", values_that_are_nan_reach_what_they_reach_on_the_cpu},
      {"scores_that_are_infinite_give_the_bits_of_the_cpu", scores_that_are_infinite_give_the_bits_of_the_cpu},
      {"attention_of_more_rows_than_a_grid_has_gives_the_bits_of_the_cpu",
       attention_of_more_rows_than_a_grid_has_gives_the_bits_of_the_cpu},
      {"attention_to_no_keys_gives_zeros", attention_to_no_keys_gives_zeros},
      {"scratch_memory_too_small_for_a_head_is_refused", scratch_memory_too_small_for_a_head_is_refused},
  };
}

}  // namespace carrack::gpu_test
