// Attention: each query of a row gives a mean of values, weighted by how well the keys of the row fit it. The bits of a
// row depend on nothing beside it, nor on the number of threads, nor on the device.
//
// Queries are [rows, queries, heads, key_size], keys [rows, keys, heads, key_size], values and results
// [rows, keys or queries, heads, value_size]; each head is computed by itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train {

struct AttentionShape {
  std::int64_t rows = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t heads = 1;
  std::int64_t key_size = 1;
  std::int64_t value_size = 1;
  bool causal = false;  // whether query i sees the keys up to i alone

  // How many keys the queries before `query_end` see, but for the mask. They are the first ones.
  constexpr std::int64_t seen_keys(std::int64_t query_end) const { return causal ? std::min(query_end, keys) : keys; }
};

// How many queries of a head are computed at once: their sums go over all keys that one of them sees.
inline constexpr std::int64_t attention_queries_max = 64;

// At most, in bytes: what a thread needs for the gradient of one head. The mean itself needs less.
constexpr double attention_thread_bytes(const AttentionShape& of) {
  const auto sizes = static_cast<double>(of.key_size + of.value_size), keys = static_cast<double>(of.keys);
  const auto queries = static_cast<double>(std::min(of.queries, attention_queries_max));
  return sizeof(float) * (2 * keys * sizes + queries * (2 * keys + 2 * sizes));
}

// weights = softmax(q k / sqrt(key_size)) over the keys that a query sees; y = weights v. A query sees no key whose
// mask, [rows, keys], is 0; null is a mask of ones. A query that sees no key gives zeros.
struct Attention {
  const float *q, *k, *v, *mask;
  float* y;
};

// The gradients of q, k and v from that of y. The weights are computed again.
struct AttentionGradient {
  const float *of_y, *q, *k, *v, *mask;
  float *of_q, *of_k, *of_v;
};

namespace cpu {

class ThreadPool;

// Divides rows and heads among `threads`. Each thread that computes owns attention_thread_bytes() until it ends, beside
// the packing memory of products (matrix.h); once that is there, calls allocate nothing. So it is with the next one.
void attention(const AttentionShape& shape, const Attention& of, ThreadPool* threads = nullptr);

void attention_gradient(const AttentionShape& shape, const AttentionGradient& of, ThreadPool* threads = nullptr);

}  // namespace cpu

// The same bits on a device: device.h says what `stream` is, and which memory all pointers are in.
namespace cuda {

// Weights that are computed at once, unless one head has more.
inline constexpr std::int64_t attention_weights_max = 1 << 24;

// Floats of the device's memory that attention() works in; attention_gradient() needs twice as many. Both do with less,
// as long as it is enough for one head; they then compute fewer heads at once.
constexpr std::int64_t attention_scratch_floats(const AttentionShape& of) {
  const std::int64_t of_head = of.queries * of.keys;
  if (of_head == 0) return 0;
  return std::min(of.rows * of.heads, std::max<std::int64_t>(1, attention_weights_max / of_head)) * of_head;
}

// Throw a bug if `scratch` is too small for one head.
void attention(Stream& stream, const AttentionShape& shape, const Attention& of, std::span<float> scratch);
void attention_gradient(Stream& stream, const AttentionShape& shape, const AttentionGradient& of,
                        std::span<float> scratch);

}  // namespace cuda
}  // namespace carrack::train
