// The formulas that kernels compute for each element, as function objects: the CPU and the CUDA kernels of the headers
// named below apply the same ones. Each operation is rounded separately, so all devices compute the same bits. An
// argument of_y is the gradient of the loss with respect to y.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "trainer/kernels/functions.h"
#include "trainer/kernels/host_device.h"

namespace carrack::train {

// For activations.h. The gradients return the gradient of x. Their second argument is the output y or the input x.

struct Relu {
  CARRACK_HOST_DEVICE float operator()(float x) const { return x < 0.0f ? 0.0f : x; }
};
struct Sigmoid {
  CARRACK_HOST_DEVICE float operator()(float x) const { return sigmoid_of(x); }
};
struct Tanh {
  CARRACK_HOST_DEVICE float operator()(float x) const { return tanh_of(x); }
};
// Returns x * share, but 0 if the share is 0, even for an infinite x.
CARRACK_HOST_DEVICE inline float share_of(float x, float share) {
  return share == 0.0f ? 0.0f : x * share;
}
struct Gelu {
  CARRACK_HOST_DEVICE float operator()(float x) const { return share_of(x, normal_cdf_of(x)); }
};
struct Swish {
  CARRACK_HOST_DEVICE float operator()(float x) const { return share_of(x, sigmoid_of(x)); }
};
struct ReluGradient {
  CARRACK_HOST_DEVICE float operator()(float of_y, float y) const { return y > 0.0f ? of_y : 0.0f; }
};
struct SigmoidGradient {
  CARRACK_HOST_DEVICE float operator()(float of_y, float y) const { return of_y * (y * (1.0f - y)); }
};
struct TanhGradient {
  CARRACK_HOST_DEVICE float operator()(float of_y, float y) const { return of_y * (1.0f - y * y); }
};

struct GeluGradient {
  CARRACK_HOST_DEVICE float operator()(float of_y, float x) const {
    constexpr float density = 0.39894228f;  // the density of a normal distribution at 0
    return of_y * (normal_cdf_of(x) + share_of(x, gaussian_of(x) * density));
  }
};
struct SwishGradient {
  CARRACK_HOST_DEVICE float operator()(float of_y, float x) const {
    const float share = sigmoid_of(x);
    return of_y * (share + share_of(x, share * (1.0f - share)));
  }
};

// For arithmetic.h. All have two arguments, so that one kernel serves them all; some ignore the second one.

struct Add {
  CARRACK_HOST_DEVICE float operator()(float x, float y) const { return x + y; }
};
struct Sub {
  CARRACK_HOST_DEVICE float operator()(float x, float y) const { return x - y; }
};
struct Mul {
  CARRACK_HOST_DEVICE float operator()(float x, float y) const { return x * y; }
};
struct Div {
  CARRACK_HOST_DEVICE float operator()(float x, float y) const { return x / y; }
};
struct Neg {
  CARRACK_HOST_DEVICE float operator()(float x, float) const { return -x; }
};
struct Abs {
  CARRACK_HOST_DEVICE float operator()(float x, float) const { return std::fabs(x); }
};
struct Sign {
  CARRACK_HOST_DEVICE float operator()(float x, float) const { return x > 0 ? 1.0f : x < 0 ? -1.0f : x; }
};
struct Sqrt {
  CARRACK_HOST_DEVICE float operator()(float x, float) const { return std::sqrt(x); }
};
struct Copy {
  CARRACK_HOST_DEVICE float operator()(float x, float) const { return x; }
};

// For losses.h, which has the formulas. A slope is the derivative with respect to the first argument.

struct SigmoidCrossEntropy {
  CARRACK_HOST_DEVICE float operator()(float score, float target) const {
    const float positive = score > 0.0f ? score : 0.0f;
    return (positive - score * target) + log1p_of(exp_of(-absolute(score)));
  }
};
struct SigmoidCrossEntropySlope {
  CARRACK_HOST_DEVICE float operator()(float score, float target) const { return sigmoid_of(score) - target; }
};
struct Huber {
  float delta;

  CARRACK_HOST_DEVICE float operator()(float prediction, float target) const {
    const float difference = prediction - target;
    const float size = absolute(difference);
    return size > delta ? delta * (size - 0.5f * delta) : 0.5f * difference * difference;
  }
};
struct HuberSlope {
  float delta;

  CARRACK_HOST_DEVICE float operator()(float prediction, float target) const {
    const float difference = prediction - target;
    const float low = difference < -delta ? -delta : difference;
    return low > delta ? delta : low;
  }
};

// For normalization.h.

CARRACK_HOST_DEVICE inline float normalized_of(float x, float mean, float inverse_deviation) {
  return (x - mean) * inverse_deviation;
}

// Returns the gradient of x from of_normalized, the gradient of `normalized`. `mean` is the mean of of_normalized over
// the row or column, and `mean_product` the mean of of_normalized * normalized.
CARRACK_HOST_DEVICE inline float gradient_before_normalization(float inverse_deviation, float of_normalized, float mean,
                                                               float normalized, float mean_product) {
  return inverse_deviation * ((of_normalized - mean) - normalized * mean_product);
}

// For pooling.h.

// Returns whether x is greater than `best`. NaN is above all numbers, and no value is above NaN.
CARRACK_HOST_DEVICE inline bool is_above(float x, float best) {
  return best == best && !(x <= best);
}
// Returns whether x equals y, or both are NaN.
CARRACK_HOST_DEVICE inline bool is_same(float x, float y) {
  return x == y || (x != x && y != y);
}

// For dropout.h. Drop(rate)(x, number) is 0 or x / (1 - rate), by the element's random number. `rate` is at least 0 and
// less than 1.
class Drop {
 public:
  explicit Drop(float rate)
      : dropped_below_(static_cast<std::uint32_t>(static_cast<double>(rate) * 0x1p32)), scale_(1.0f / (1.0f - rate)) {}

  CARRACK_HOST_DEVICE float operator()(float x, std::uint32_t number) const {
    // A mask, because a branch would keep the loop from being vectorised.
    const std::uint32_t mask = number < dropped_below_ ? 0 : ~std::uint32_t{0};
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x * scale_) & mask);
  }

 private:
  std::uint32_t dropped_below_;
  float scale_;
};

}  // namespace carrack::train
