// Attention on the CPU: each query of a row gives a mean of values, weighted by how well the keys of the row fit it.
// The bits of a row depend on nothing beside it, nor on the number of threads.
//
// Queries are [rows, queries, heads, key_size], keys [rows, keys, heads, key_size], values and results
// [rows, keys or queries, heads, value_size]; each head is computed by itself.
#pragma once

#include <algorithm>
#include <cstdint>

namespace carrack::train {

struct AttentionShape {
  std::int64_t rows = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t heads = 1;
  std::int64_t key_size = 1;
  std::int64_t value_size = 1;
  bool causal = false;  // whether query i sees the keys up to i alone
};

// How many queries of a head are computed at once.
inline constexpr std::int64_t attention_queries_max = 64;

// At most, in bytes: what a thread needs for the gradient of one head. The mean itself needs less.
constexpr double attention_thread_bytes(const AttentionShape& of) {
  const auto sizes = static_cast<double>(of.key_size + of.value_size), keys = static_cast<double>(of.keys);
  const auto queries = static_cast<double>(std::min(of.queries, attention_queries_max));
  return sizeof(float) * (2 * keys * sizes + queries * (2 * keys + 2 * sizes));
}

namespace cpu {

class ThreadPool;

// weights = softmax(q k / sqrt(key_size)) over the keys that a query sees; y = weights v. A query sees no key of which
// the mask, [rows, keys], is 0; null is a mask of ones. A query that sees no key gives zeros.
struct Attention {
  const float *q, *k, *v, *mask;
  float* y;
};
// Divides rows and heads among `threads`. Each thread that computes owns attention_thread_bytes() until it ends, beside
// the packing memory of products (matrix.h); once that is there, calls allocate nothing. So it is with the next one.
void attention(const AttentionShape& shape, const Attention& of, ThreadPool* threads = nullptr);

// The gradients of q, k and v from that of y. The weights are computed again.
struct AttentionGradient {
  const float *of_y, *q, *k, *v, *mask;
  float *of_q, *of_k, *of_v;
};
void attention_gradient(const AttentionShape& shape, const AttentionGradient& of, ThreadPool* threads = nullptr);

}  // namespace cpu
}  // namespace carrack::train
