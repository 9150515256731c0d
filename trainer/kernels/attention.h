// Scaled dot-product attention, and its gradient, for the layer MultiHeadAttention: the result of each query is a mean
// of the values of the same row (record), weighted by how well their keys fit the query. The executor calls these
// functions. The bits of a row do not depend on other rows, the number of threads or the device.
//
// Queries are [rows, queries, heads, key_size], keys [rows, keys, heads, key_size], values [rows, keys, heads,
// value_size], and results [rows, queries, heads, value_size]. Each head is computed separately. An argument of_y, of_q
// and so on is the gradient of the loss with respect to y, q and so on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train {

struct AttentionShape {
  std::int64_t rows = 1;     // records of the batch
  std::int64_t queries = 1;  // queries of each row, such as its time steps
  std::int64_t keys = 1;     // keys of each row, each with a value
  std::int64_t heads = 1;
  std::int64_t key_size = 1;
  std::int64_t value_size = 1;
  bool causal = false;  // whether query i sees only the keys 0 to i

  // The number of keys that at least one of the queries [0, query_end) sees if the mask hides none. They are the keys
  // from 0 on.
  constexpr std::int64_t seen_keys(std::int64_t query_end) const { return causal ? std::min(query_end, keys) : keys; }
};

// The maximum number of queries of a head that are computed at the same time, as a block. Sums of each query of a block
// run over all keys that any query of the block sees.
inline constexpr std::int64_t attention_queries_max = 64;

// The scratch memory of a thread on the CPU, in bytes. cpu::attention() and cpu::attention_gradient() allocate this
// much for each thread; planning/ adds it to the memory that a job needs.
constexpr double attention_thread_bytes(const AttentionShape& of) {
  const auto sizes = static_cast<double>(of.key_size + of.value_size), keys = static_cast<double>(of.keys);
  const auto queries = static_cast<double>(std::min(of.queries, attention_queries_max));
  return sizeof(float) * (2 * keys * sizes + queries * (2 * keys + 2 * sizes));
}

// The arguments of attention(): q, k and v are queries, keys and values; y is the result.
//     weights = softmax(q k / sqrt(key_size)) over the keys that a query sees;  y = weights v
// `mask` is [rows, keys]: an element 0 hides a key from all queries of the row, and a null mask hides none. The result
// of a query that sees no key is zeros.
struct Attention {
  const float *q, *k, *v, *mask;
  float* y;
};

// The arguments of attention_gradient(), which writes of_q, of_k and of_v, the gradients of q, k and v, from of_y, the
// gradient of y. It computes the weights again from q, k and `mask`.
struct AttentionGradient {
  const float *of_y, *q, *k, *v, *mask;
  float *of_q, *of_k, *of_v;
};

namespace cpu {

class ThreadPool;

// Both functions divide rows and heads among `threads`; null: the calling thread computes alone. Each computing thread
// retains attention_thread_bytes() bytes, and the packing memory of products (matrix.h), until it ends. Calls that need
// no more than an earlier one allocate nothing. Results must not overlap arguments.
void attention(const AttentionShape& shape, const Attention& of, ThreadPool* threads = nullptr);

void attention_gradient(const AttentionShape& shape, const AttentionGradient& of, ThreadPool* threads = nullptr);

}  // namespace cpu

// The same bits on a GPU. All pointers are in its memory; see Stream in device.h.
namespace cuda {

// The maximum number of weights in memory at the same time, unless one head has more.
inline constexpr std::int64_t attention_weights_max = 1 << 24;

// The number of floats of scratch memory that attention() should have; attention_gradient() should have twice as many.
// With fewer, both compute fewer heads at the same time. The minimum is queries * keys floats, for one head; twice as
// many for attention_gradient().
constexpr std::int64_t attention_scratch_floats(const AttentionShape& of) {
  const std::int64_t of_head = of.queries * of.keys;
  if (of_head == 0) return 0;
  return std::min(of.rows * of.heads, std::max<std::int64_t>(1, attention_weights_max / of_head)) * of_head;
}

// Throw Error with Blame::bug if `scratch` is too small for one head.
void attention(Stream& stream, const AttentionShape& shape, const Attention& of, std::span<float> scratch);
void attention_gradient(Stream& stream, const AttentionShape& shape, const AttentionGradient& of,
                        std::span<float> scratch);

}  // namespace cuda
}  // namespace carrack::train
