#include "trainer/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "trainer/kernels/cuda/products.cuh"
#include "trainer/kernels/cuda/row_sums.cuh"
#include "trainer/kernels/functions.h"

// Heads are numbered over all rows of the batch, and each head has its own matrix products. As many heads are computed
// at the same time as the scratch memory permits. It holds their attention weights, [heads, queries, keys], followed by
// the gradients of these weights in attention_gradient().
namespace carrack::train::cuda {
namespace {

// Where heads lie in an array [rows, steps, heads, size], whose steps are queries or keys.
struct HeadPlaces {
  std::int64_t first;  // the number, over all rows, of the head of product 0
  std::int64_t heads, steps, size;

  // Returns the index of the first element of a step of a head.
  __device__ std::int64_t of(std::int64_t product, std::int64_t step) const {
    const std::int64_t head = first + product;
    return ((head / heads * steps + step) * heads + head % heads) * size;
  }
};

// An operand of a product (products.cuh). Its places (rows of the left operand, columns of the right one) are queries
// or keys. Its steps, over which the product sums, are their elements.
struct HeadRows {
  using Line = const float*;

  HeadPlaces places;
  const float* data;
  float scale = 1;

  __device__ bool is_along_steps() const { return true; }
  __device__ Line line(std::int64_t product, std::int64_t place) const { return data + places.of(product, place); }
  __device__ float operator()(Line line, std::int64_t step) const { return line[step] * scale; }
};

// An operand of a product (products.cuh). Its places (columns of the right operand) are elements of a query, a key or a
// value. Its steps, over which the product sums, are queries or keys.
struct HeadColumns {
  using Line = const float*;

  HeadPlaces places;
  const float* data;
  float scale = 1;

  __device__ bool is_along_steps() const { return false; }
  __device__ Line line(std::int64_t product, std::int64_t place) const { return data + places.of(product, 0) + place; }
  __device__ float operator()(Line line, std::int64_t step) const {
    return line[step * places.heads * places.size] * scale;
  }
};

// Return the weights as a left operand. weights_of() has queries as rows and keys as steps; transposed_weights_of() has
// keys as rows and queries as steps.
Matrix weights_of(const AttentionShape& shape, const float* weights) {
  return {weights, shape.keys, 1, shape.queries * shape.keys};
}
Matrix transposed_weights_of(const AttentionShape& shape, const float* weights) {
  return {weights, 1, shape.keys, shape.queries * shape.keys};
}

// Returns the number of keys that at least one query in the block of `query` sees. Blocks have attention_queries_max
// queries.
__device__ std::int64_t keys_of_block(const AttentionShape& shape, std::int64_t query) {
  const std::int64_t end = (query / attention_queries_max + 1) * attention_queries_max;
  return shape.seen_keys(end < shape.queries ? end : shape.queries);
}

// Each of these functions returns the steps over which the products of a tile sum. The queries of a tile are in one
// block of attention_queries_max queries, and its keys in one such block of keys, so all its elements have the same
// steps. They must be the steps of the CPU: even a step with the weight 0 can change a sum, because 0 times a NaN or an
// infinity is NaN.
struct AlongElements {  // elements of queries and keys; no steps for keys that no query of the tile sees
  AttentionShape shape;
  std::int64_t size;

  __device__ Range operator()(const Tile& tile) const {
    return {0, tile.column < keys_of_block(shape, tile.row) ? size : 0};
  }
};
struct AlongKeys {
  AttentionShape shape;

  __device__ Range operator()(const Tile& tile) const { return {0, keys_of_block(shape, tile.row)}; }
};
struct AlongQueries {
  AttentionShape shape;

  __device__ Range operator()(const Tile& tile) const {
    return {shape.causal ? tile.row / attention_queries_max * attention_queries_max : 0, shape.queries};
  }
};

struct WeightResult {
  AttentionShape shape;
  float* weights;

  __device__ void store(std::int64_t product, std::int64_t row, std::int64_t column, float sum) const {
    weights[(product * shape.queries + row) * shape.keys + column] = sum;
  }
};

// Writes a result. Its rows are queries or keys; those from `seen` on become zeros, because no query sees these keys.
struct HeadResult {
  HeadPlaces places;
  float* data;
  std::int64_t seen;
  float scale = 1;

  __device__ void store(std::int64_t product, std::int64_t row, std::int64_t column, float sum) const {
    data[places.of(product, row) + column] = row < seen ? sum * scale : 0.0f;
  }
};

// A thread computes side x side elements of a tile.
constexpr int side = 2;
static_assert(attention_queries_max % (side * tile_threads) == 0);

template <class A, class B, class Result, class Steps>
__global__ void head_product_kernel(ProductSize size, A a, B b, Result result, Steps steps) {
  for_each_tile<side, side>(size, [&](const Tile& tile) {
    Sums<side, side> sums;
    add_products(tile, steps(tile), a, b, sums);
    sums.for_each(tile, [&](auto row, auto column, float sum) { result.store(tile.product, row, column, sum); });
  });
}

template <class A, class B, class Result, class Steps>
void multiply_heads(const char* what, Stream& stream, const ProductSize& size, const A& a, const B& b,
                    const Result& result, const Steps& steps) {
  const std::int64_t tiles = count_tiles<side, side>(size);
  if (tiles == 0) return;
  launch(what, stream.handle(), launch_for_tiles(tiles), head_product_kernel<A, B, Result, Steps>, size, a, b, result,
         steps);
}

__device__ float greatest_of_neighbours(float value) {
  return over_neighbours(value, [](float a, float b) { return a > b ? a : b; });
}

// Calls function(product, query) for each row of weights, in as many neighbouring threads as sum() has partial sums
// (sums.h). Each thread should work on every 16th element of the row.
template <class Function>
__device__ void for_each_query(const AttentionShape& shape, std::int64_t products, const Function& function) {
  for_each_row<sum_threads>(products * shape.queries,
                            [&](std::int64_t row, unsigned) { function(row / shape.queries, row % shape.queries); });
}

// Replaces the scaled products of queries and keys by their softmax, the weights. `mask` is the mask of all rows, or
// null.
__global__ void softmax_kernel(AttentionShape shape, std::int64_t first_head, std::int64_t products, const float* mask,
                               float* weights) {
  for_each_query(shape, products, [&](std::int64_t product, std::int64_t query) {
    const std::int64_t seen = shape.seen_keys(query + 1), begin = threadIdx.x % sum_threads;
    float* const row = weights + (product * shape.queries + query) * shape.keys;
    const float* const of_row = mask == nullptr ? nullptr : mask + (first_head + product) / shape.heads * shape.keys;
    const auto is_seen = [&](std::int64_t key) { return of_row == nullptr || of_row[key] != 0; };
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    float most = lowest, any = 0;
    for (std::int64_t i = begin; i < seen; i += partial_sums) {
      if (!is_seen(i)) continue;
      most = row[i] > most ? row[i] : most;
      any = 1;
    }
    most = greatest_of_neighbours(most);
    const bool sees_none = of_row != nullptr && greatest_of_neighbours(any) == 0;
    float sum = 0;
    for (std::int64_t i = begin; i < seen; i += partial_sums) {
      row[i] = exp_of((is_seen(i) ? row[i] : lowest) - most);
      sum = sum + row[i];
    }
    sum = total_of_partial_sums(sum);
    for (std::int64_t i = begin; i < seen; i += partial_sums) row[i] = sees_none ? 0.0f : row[i] / sum;
    // Keys that only later queries of the block see get the weight 0. This thread's first key of them is `rest`.
    const std::int64_t rest = seen + (begin - seen % partial_sums + partial_sums) % partial_sums;
    for (std::int64_t i = rest; i < keys_of_block(shape, query); i += partial_sums) row[i] = 0;
  });
}

// Replaces the gradient of the weights by the gradient of the scores. The scores are the scaled products of queries and
// keys, and the weights are the softmax of the scores.
__global__ void softmax_gradient_kernel(AttentionShape shape, std::int64_t products, const float* weights,
                                        float* of_weights) {
  for_each_query(shape, products, [&](std::int64_t product, std::int64_t query) {
    const std::int64_t keys = keys_of_block(shape, query), begin = threadIdx.x % sum_threads;
    const float* const p = weights + (product * shape.queries + query) * shape.keys;
    float* const of_p = of_weights + (product * shape.queries + query) * shape.keys;
    float along = 0;
    for (std::int64_t i = begin; i < keys; i += partial_sums) along = along + p[i] * of_p[i];
    along = total_of_partial_sums(along);
    for (std::int64_t i = begin; i < keys; i += partial_sums) of_p[i] = p[i] * (of_p[i] - along);
  });
}

LaunchSize launch_for_rows(const AttentionShape& shape, std::int64_t products) {
  constexpr std::int64_t rows_of_block = tile_threads * tile_threads / partial_sums;
  return launch_for_tiles((products * shape.queries + rows_of_block - 1) / rows_of_block);
}

// Computes the matrix products of a range of heads, all heads at the same time.
class Heads {
 public:
  Heads(const char* what, Stream& stream, const AttentionShape& shape, Range heads)
      : what_(what), stream_(stream), shape_(shape), first_(heads.begin), products_(heads.size()) {}

  HeadPlaces of_queries(std::int64_t size) const { return {first_, shape_.heads, shape_.queries, size}; }
  HeadPlaces of_keys(std::int64_t size) const { return {first_, shape_.heads, shape_.keys, size}; }

  HeadRows scaled_q(const float* q) const { return {of_queries(shape_.key_size), q, scale_}; }
  float scale() const { return scale_; }

  // weights = a b over `size` elements of queries and keys
  void multiply_elements(const HeadRows& a, const HeadRows& b, std::int64_t size, float* weights) const {
    multiply_heads(what_, stream_, {products_, shape_.queries, shape_.keys}, a, b, WeightResult{shape_, weights},
                   AlongElements{shape_, size});
  }
  // result = weights b
  void multiply_keys(const float* weights, const HeadColumns& b, const HeadResult& result) const {
    multiply_heads(what_, stream_, {products_, shape_.queries, b.places.size}, weights_of(shape_, weights), b, result,
                   AlongKeys{shape_});
  }
  // result = (weights transposed) b
  void multiply_queries(const float* weights, const HeadColumns& b, float* result) const {
    multiply_heads(what_, stream_, {products_, shape_.keys, b.places.size}, transposed_weights_of(shape_, weights), b,
                   HeadResult{of_keys(b.places.size), result, shape_.seen_keys(shape_.queries)}, AlongQueries{shape_});
  }

  void compute_weights(const float* q, const float* k, const float* mask, float* weights) const {
    multiply_elements(scaled_q(q), HeadRows{of_keys(shape_.key_size), k}, shape_.key_size, weights);
    if (shape_.queries * shape_.keys == 0) return;
    launch(what_, stream_.handle(), launch_for_rows(shape_, products_), softmax_kernel, shape_, first_, products_, mask,
           weights);
  }
  void through_softmax(const float* weights, float* of_weights) const {
    if (shape_.queries * shape_.keys == 0) return;
    launch(what_, stream_.handle(), launch_for_rows(shape_, products_), softmax_gradient_kernel, shape_, products_,
           weights, of_weights);
  }

 private:
  const char* what_;
  Stream& stream_;
  const AttentionShape& shape_;
  std::int64_t first_, products_;
  float scale_ = 1 / std::sqrt(static_cast<float>(shape_.key_size));
};

// Calls function(range) for ranges that make up all heads, each as large as fits into the scratch memory with `arrays`
// arrays of the size of the weights.
template <class Function>
void for_each_run(const char* what, const AttentionShape& shape, std::size_t scratch_floats, std::int64_t arrays,
                  const Function& function) {
  const std::int64_t heads = shape.rows * shape.heads, of_head = arrays * shape.queries * shape.keys;
  const std::int64_t at_once = of_head == 0 ? heads : static_cast<std::int64_t>(scratch_floats) / of_head;
  if (heads == 0) return;
  if (at_once == 0) throw Error(Blame::bug, std::string(what) + ": the scratch memory is too small for one head");
  for (std::int64_t first = 0; first < heads; first += at_once) {
    function(Range{first, std::min(first + at_once, heads)});
  }
}

}  // namespace

void attention(Stream& stream, const AttentionShape& shape, const Attention& of, std::span<float> scratch) {
  constexpr const char* what = "cuda::attention";
  for_each_run(what, shape, scratch.size(), 1, [&](Range range) {
    const Heads heads(what, stream, shape, range);
    heads.compute_weights(of.q, of.k, of.mask, scratch.data());
    heads.multiply_keys(scratch.data(), {heads.of_keys(shape.value_size), of.v},
                        {heads.of_queries(shape.value_size), of.y, shape.queries});
  });
}

void attention_gradient(Stream& stream, const AttentionShape& shape, const AttentionGradient& of,
                        std::span<float> scratch) {
  constexpr const char* what = "cuda::attention_gradient";
  for_each_run(what, shape, scratch.size(), 2, [&](Range range) {
    const Heads heads(what, stream, shape, range);
    float* const weights = scratch.data();
    float* const of_weights = weights + range.size() * shape.queries * shape.keys;
    const HeadPlaces results = heads.of_queries(shape.value_size), values = heads.of_keys(shape.value_size);
    heads.compute_weights(of.q, of.k, of.mask, weights);
    heads.multiply_queries(weights, {results, of.of_y}, of.of_v);
    heads.multiply_elements({results, of.of_y}, {values, of.v}, shape.value_size, of_weights);
    heads.through_softmax(weights, of_weights);
    heads.multiply_queries(of_weights, {heads.of_queries(shape.key_size), of.q, heads.scale()}, of.of_k);
    heads.multiply_keys(of_weights, {heads.of_keys(shape.key_size), of.k},
                        {heads.of_queries(shape.key_size), of.of_q, shape.queries, heads.scale()});
  });
}

}  // namespace carrack::train::cuda
