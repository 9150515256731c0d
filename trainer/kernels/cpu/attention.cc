#include "trainer/kernels/attention.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "trainer/kernels/cpu/matrix_work.h"
#include "trainer/kernels/functions.h"
#include "trainer/kernels/matrix.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/sums.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train::cpu {
namespace {

// Where one head of one row lies in an array of all heads: a matrix [steps, size], whose first element has the index
// `begin` and whose rows are `stride` elements apart. Heads are numbered over all rows of the batch.
struct Head {
  std::int64_t begin, stride, size;

  Head(const AttentionShape& shape, std::int64_t head, std::int64_t steps, std::int64_t head_size)
      : begin(head / shape.heads * steps * shape.heads * head_size + head % shape.heads * head_size),
        stride(shape.heads * head_size),
        size(head_size) {}

  void read(const float* all, Range steps, float* matrix) const {
    copy_columns(steps.size(), size, all + begin + steps.begin * stride, stride, matrix, size);
  }
  void write(const float* matrix, Range steps, float* all) const {
    copy_columns(steps.size(), size, matrix, size, all + begin + steps.begin * stride, stride);
  }
};

// The memory of a thread, in which take() places matrices one after another. They are valid until the thread makes
// another Scratch.
class Scratch {
 public:
  explicit Scratch(const AttentionShape& shape) {
    thread_local Workspace workspace;
    next_ = workspace.floats(static_cast<std::int64_t>(attention_thread_bytes(shape) / sizeof(float)));
  }
  float* take(std::int64_t elements) { return std::exchange(next_, next_ + elements); }

 private:
  float* next_;
};

// Neighbouring queries of a head, which are computed at the same time. `keys` is the number of keys that at least one
// of these queries sees if the mask hides none. In a causal layer, later keys are not computed for them.
struct Block {
  Range queries;
  std::int64_t keys;
};

template <class Function>
void for_each_block(const AttentionShape& shape, const Function& function) {
  for (std::int64_t begin = 0; begin < shape.queries; begin += attention_queries_max) {
    const std::int64_t end = std::min(begin + attention_queries_max, shape.queries);
    function(Block{{begin, end}, shape.seen_keys(end)});
  }
}

// Computes the attention weights of one head of one row: the softmax of the scaled products of queries and keys.
class HeadWeights {
 public:
  // `mask` is the mask of the row, or null.
  HeadWeights(const AttentionShape& shape, const float* mask, float* weights)
      : shape_(shape), mask_(mask), scale_(1 / std::sqrt(static_cast<float>(shape.key_size))), weights_(weights) {}

  float scale() const { return scale_; }

  // Returns the weights of the block, [queries, keys]. A key that a query does not see, because of the
  // mask or because it comes later, has the weight 0. Multiplies the caller's `q` by scale().
  const float* compute(const Block& block, float* q, const float* k) {
    for (std::int64_t i = 0; i < block.queries.size() * shape_.key_size; ++i) q[i] *= scale_;
    gemm({.transpose_b = true, .m = block.queries.size(), .n = block.keys, .k = shape_.key_size}, q, k, weights_);
    for (std::int64_t i = 0; i < block.queries.size(); ++i) {
      const std::int64_t seen = shape_.seen_keys(block.queries.begin + i + 1);
      float* const row = weights_ + i * block.keys;
      softmax(row, seen);
      std::fill(row + seen, row + block.keys, 0.0f);
    }
    return weights_;
  }

 private:
  // If the mask hides all keys, the weights are 0: a softmax over no keys would be NaN.
  void softmax(float* row, std::int64_t keys) const {
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    if (mask_ != nullptr) {
      if (std::all_of(mask_, mask_ + keys, [](float one) { return one == 0; })) return std::fill(row, row + keys, 0.0f);
      for (std::int64_t j = 0; j < keys; ++j) row[j] = mask_[j] == 0 ? lowest : row[j];
    }
    float most = row[0];
    for (std::int64_t j = 1; j < keys; ++j) most = row[j] > most ? row[j] : most;
    for (std::int64_t j = 0; j < keys; ++j) row[j] = exp_of(row[j] - most);
    const float all = sum({row, static_cast<std::size_t>(keys)});
    for (std::int64_t j = 0; j < keys; ++j) row[j] /= all;
  }

  const AttentionShape& shape_;
  const float* mask_;
  float scale_;
  float* weights_;
};

const float* mask_of(const AttentionShape& shape, const float* mask, std::int64_t head) {
  return mask == nullptr ? nullptr : mask + head / shape.heads * shape.keys;
}

// Computes the results of one head: for each query the mean of the values, weighted by HeadWeights.
void mean_of_head(const AttentionShape& shape, const Attention& of, std::int64_t head) {
  const Head queries(shape, head, shape.queries, shape.key_size), keys(shape, head, shape.keys, shape.key_size);
  const Head values(shape, head, shape.keys, shape.value_size), results(shape, head, shape.queries, shape.value_size);
  const std::int64_t block_most = std::min(shape.queries, attention_queries_max);
  Scratch scratch(shape);
  float *const k = scratch.take(shape.keys * shape.key_size), *const v = scratch.take(shape.keys * shape.value_size);
  float *const q = scratch.take(block_most * shape.key_size), *const y = scratch.take(block_most * shape.value_size);
  HeadWeights weights(shape, mask_of(shape, of.mask, head), scratch.take(block_most * shape.keys));
  keys.read(of.k, {0, shape.keys}, k);
  values.read(of.v, {0, shape.keys}, v);
  for_each_block(shape, [&](const Block& block) {
    queries.read(of.q, block.queries, q);
    const float* const p = weights.compute(block, q, k);
    gemm({.m = block.queries.size(), .n = shape.value_size, .k = block.keys}, p, v, y);
    results.write(y, block.queries, of.y);
  });
}

// Replaces the gradient of the weights by the gradient of the scores. The scores are the scaled products of queries and
// keys, and the weights are the softmax of the scores.
void through_softmax(const Block& block, const float* weights, float* of_weights) {
  const auto keys = static_cast<std::size_t>(block.keys);
  for (std::int64_t i = 0; i < block.queries.size(); ++i) {
    const float* const p = weights + i * block.keys;
    float* const of_p = of_weights + i * block.keys;
    const float along = sum_of_products({p, keys}, {of_p, keys});
    for (std::int64_t j = 0; j < block.keys; ++j) of_p[j] = p[j] * (of_p[j] - along);
  }
}

// Computes the gradients of the queries, keys and values of one head.
void gradient_of_head(const AttentionShape& shape, const AttentionGradient& of, std::int64_t head) {
  const Head queries(shape, head, shape.queries, shape.key_size), keys(shape, head, shape.keys, shape.key_size);
  const Head values(shape, head, shape.keys, shape.value_size), results(shape, head, shape.queries, shape.value_size);
  const std::int64_t block_most = std::min(shape.queries, attention_queries_max);
  const std::int64_t keys_size = shape.keys * shape.key_size, values_size = shape.keys * shape.value_size;
  Scratch scratch(shape);
  float *const k = scratch.take(keys_size), *const v = scratch.take(values_size);
  float *const of_k = scratch.take(keys_size), *const of_v = scratch.take(values_size);
  float *const q = scratch.take(block_most * shape.key_size), *const of_q = scratch.take(block_most * shape.key_size);
  float* const of_y = scratch.take(block_most * shape.value_size);
  HeadWeights weights(shape, mask_of(shape, of.mask, head), scratch.take(block_most * shape.keys));
  float* const of_weights = scratch.take(block_most * shape.keys);
  keys.read(of.k, {0, shape.keys}, k);
  values.read(of.v, {0, shape.keys}, v);
  std::fill_n(of_k, keys_size, 0.0f);
  std::fill_n(of_v, values_size, 0.0f);
  for_each_block(shape, [&](const Block& block) {
    const std::int64_t count = block.queries.size();
    queries.read(of.q, block.queries, q);
    results.read(of.of_y, block.queries, of_y);
    const float* const p = weights.compute(block, q, k);
    gemm({.transpose_a = true, .m = block.keys, .n = shape.value_size, .k = count}, p, of_y, of_v,
         {.accumulate = true});
    gemm({.transpose_b = true, .m = count, .n = block.keys, .k = shape.value_size}, of_y, v, of_weights);
    through_softmax(block, p, of_weights);
    gemm({.transpose_a = true, .m = block.keys, .n = shape.key_size, .k = count}, of_weights, q, of_k,
         {.accumulate = true});
    gemm({.m = count, .n = shape.key_size, .k = block.keys}, of_weights, k, of_q);
    for (std::int64_t i = 0; i < count * shape.key_size; ++i) of_q[i] *= weights.scale();
    queries.write(of_q, block.queries, of.of_q);
  });
  keys.write(of_k, {0, shape.keys}, of.of_k);
  values.write(of_v, {0, shape.keys}, of.of_v);
}

// Calls function(head) for each head of each row, divided among threads.
template <class Function>
void for_each_head(const AttentionShape& shape, ThreadPool* threads, const Function& function) {
  const std::int64_t heads = shape.rows * shape.heads;
  const std::int64_t work = heads * shape.queries * shape.keys * (shape.key_size + shape.value_size);
  parallel_for(threads, heads, work, [&](Range part) {
    for (std::int64_t head = part.begin; head < part.end; ++head) function(head);
  });
}

}  // namespace

void attention(const AttentionShape& shape, const Attention& of, ThreadPool* threads) {
  for_each_head(shape, threads, [&](std::int64_t head) { mean_of_head(shape, of, head); });
}

void attention_gradient(const AttentionShape& shape, const AttentionGradient& of, ThreadPool* threads) {
  for_each_head(shape, threads, [&](std::int64_t head) { gradient_of_head(shape, of, head); });
}

}  // namespace carrack::train::cpu
