#include <algorithm>
#include <cmath>
#include <limits>

#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

// One head of the attention of one row of the batch. Q, K and V are the inputs number `first`, first + 1 and first + 2
// of the call; a mask may follow them. The member functions count inputs from `first`: 0 is Q, 1 is K, 2 is V.
class Head {
 public:
  Head(const Call& call, std::size_t first, std::size_t row, std::size_t head)
      : call_(call), first_(first), row_(row), head_(head), heads_(heads_of(call)) {}

  static std::size_t heads_of(const Call& call) {
    return static_cast<std::size_t>(call.node.attributes.get<std::int64_t>("q_num_heads"));
  }
  std::size_t steps(std::size_t input) const { return size(input, 1); }
  std::size_t width(std::size_t input) const { return size(input, 2) / heads_; }
  // Returns the index of element `i` of this head at a step, in a sequence that has as many steps as input `input`, and
  // `width` values for each head.
  std::size_t at(std::size_t input, std::size_t step, std::size_t i, std::size_t width) const {
    return ((row_ * steps(input) + step) * heads_ + head_) * width + i;
  }
  double element(std::size_t input, std::size_t step, std::size_t i) const {
    return call_.in(first_ + input)[at(input, step, i, width(input))];
  }

  bool sees(std::size_t query, std::size_t key) const {
    const bool causal = call_.node.attributes.get_or<std::int64_t>("is_causal", 0) != 0;
    if (causal && key > query) return false;
    return call_.inputs.size() <= first_ + 3 || call_.in(first_ + 3)[row_ * steps(1) + key] != 0;
  }

  // Returns the weights of all keys. Their sum is 1, or 0 if the query sees no key. The greatest score is subtracted
  // from all scores first: the exponential of a score above 709 would be infinite, and of one below -746 zero.
  Doubles weights(std::size_t query) const {
    Doubles all(steps(1));
    double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t key = 0; key < all.size(); ++key) {
      if (!sees(query, key)) continue;
      for (std::size_t i = 0; i < width(0); ++i) all[key] += element(0, query, i) * element(1, key, i);
      all[key] /= std::sqrt(static_cast<double>(width(0)));
      greatest = std::max(greatest, all[key]);
    }
    for (std::size_t key = 0; key < all.size(); ++key) {
      if (sees(query, key)) sum += all[key] = std::exp(all[key] - greatest);
    }
    for (double& one : all) one = sum == 0 ? 0 : one / sum;
    return all;
  }

 private:
  std::size_t size(std::size_t input, std::size_t axis) const {
    return static_cast<std::size_t>(call_.in_shape(first_ + input)[axis]);
  }

  const Call& call_;
  std::size_t first_, row_, head_, heads_;
};

template <class Function>
void for_each_head(const Call& call, std::size_t first, const Function& function) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(call.rows); ++row) {
    for (std::size_t head = 0; head < Head::heads_of(call); ++head) function(Head(call, first, row, head));
  }
}

void attention(const Call& call) {
  for_each_head(call, 0, [&](const Head& head) {
    for (std::size_t query = 0; query < head.steps(0); ++query) {
      const Doubles weights = head.weights(query);
      for (std::size_t key = 0; key < weights.size(); ++key) {
        for (std::size_t i = 0; i < head.width(2); ++i) {
          call.out()[head.at(0, query, i, head.width(2))] += weights[key] * head.element(2, key, i);
        }
      }
    }
  });
}

// The inputs are the gradient of the output, Q, K, V and optionally a mask.
void attention_gradient(const Call& call) {
  for_each_head(call, 1, [&](const Head& head) {
    const std::size_t size = head.width(0), values = head.width(2);
    const double scale = 1 / std::sqrt(static_cast<double>(size));
    for (std::size_t query = 0; query < head.steps(0); ++query) {
      const Doubles weights = head.weights(query);
      Doubles of_weights(weights.size());
      double along = 0;
      for (std::size_t key = 0; key < weights.size(); ++key) {
        for (std::size_t i = 0; i < values; ++i) {
          const double of_y = call.in(0)[head.at(0, query, i, values)];
          of_weights[key] += of_y * head.element(2, key, i);
          call.out(2)[head.at(2, key, i, values)] += of_y * weights[key];
        }
        along += weights[key] * of_weights[key];
      }
      for (std::size_t key = 0; key < weights.size(); ++key) {
        const double of_product = weights[key] * (of_weights[key] - along) * scale;
        for (std::size_t i = 0; i < size; ++i) {
          call.out(0)[head.at(0, query, i, size)] += of_product * head.element(1, key, i);
          call.out(1)[head.at(1, key, i, size)] += of_product * head.element(0, query, i);
        }
      }
    }
  });
}

constexpr Function functions[] = {
    {"Attention", attention},
    {"AttentionGradient", attention_gradient},
};

}  // namespace

std::span<const Function> attention_functions() {
  return functions;
}

}  // namespace carrack::train::reference
