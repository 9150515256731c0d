// The functions for arithmetic, activation functions and losses, element by element.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "trainer/reference/functions.h"
#include "trainer/reference/recurrent.h"

namespace carrack::train::reference {
namespace {

// Returns the index of the element of a value of shape `from` that becomes element `i` when the value is broadcast to
// shape `to`, as in numpy.
std::size_t repeated_element(std::size_t i, const Shape& to, const Shape& from) {
  std::size_t element = 0, stride = 1;
  for (std::size_t back = 1; back <= from.size(); ++back) {
    const auto length = static_cast<std::size_t>(to[to.size() - back]);
    const auto own = static_cast<std::size_t>(from[from.size() - back]);
    if (own != 1) element += i % length * stride;
    i /= length;
    stride *= own;
  }
  return element;
}

template <auto function>
void unary(const Call& call) {
  for (std::size_t i = 0; i < call.out().size(); ++i) call.out()[i] = function(call.in(0)[i]);
}

template <auto function>
void binary(const Call& call) {
  const Shape to = call.out_shape(), a = call.in_shape(0), b = call.in_shape(1);
  for (std::size_t i = 0; i < call.out().size(); ++i) {
    call.out()[i] = function(call.in(0)[repeated_element(i, to, a)], call.in(1)[repeated_element(i, to, b)]);
  }
}

template <auto function>
void with_delta(const Call& call) {
  const double delta = call.node.attributes.get<float>("delta");
  for (std::size_t i = 0; i < call.out().size(); ++i) {
    call.out()[i] = function(call.in(0)[i] - call.in(1)[i], delta);
  }
}

void constant(const Call& call) {
  call.out()[0] = call.node.attributes.get<float>("value");
}

// Inserts dimensions of 1 at `axes` into the input's shape, then repeats the input until it has the output's shape.
void expand(const Call& call) {
  Shape from = call.in_shape(0);
  for (const std::int64_t axis : call.node.attributes.get_or<std::vector<std::int64_t>>("axes", {})) {
    from.insert(from.begin() + axis, 1);
  }
  const Shape to = call.out_shape();
  for (std::size_t i = 0; i < call.out().size(); ++i) call.out()[i] = call.in(0)[repeated_element(i, to, from)];
}

double relu(double x) {
  return x < 0 ? 0 : x;
}
// Returns the share of the standard normal distribution that is below x.
double normal_share(double x) {
  return std::erfc(-x * std::numbers::sqrt2 / 2) / 2;
}
double gelu_gradient(double of_y, double x) {
  const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return of_y * (normal_share(x) + x * density);
}
double swish_gradient(double of_y, double x) {
  return of_y * sigmoid(x) * (1 + x * (1 - sigmoid(x)));
}
double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

double relu_gradient(double of_y, double y) {
  return y > 0 ? of_y : 0;
}
double sigmoid_cross_entropy(double score, double target) {
  return std::max(score, 0.0) - score * target + std::log1p(std::exp(-std::fabs(score)));
}
double huber(double difference, double delta) {
  const double size = std::fabs(difference);
  return size > delta ? delta * (size - delta / 2) : difference * difference / 2;
}

constexpr Function functions[] = {
    {"Add", binary<[](double a, double b) { return a + b; }>},
    {"Sub", binary<[](double a, double b) { return a - b; }>},
    {"Mul", binary<[](double a, double b) { return a * b; }>},
    {"Div", binary<[](double a, double b) { return a / b; }>},
    {"Neg", unary<[](double x) { return -x; }>},
    {"Abs", unary<[](double x) { return std::fabs(x); }>},
    {"Sign", unary<sign>},
    {"Sqrt", unary<[](double x) { return std::sqrt(x); }>},
    {"Identity", unary<[](double x) { return x; }>},
    {"Constant", constant},
    {"Expand", expand},
    {"Relu", unary<relu>},
    {"Sigmoid", unary<sigmoid>},
    {"Tanh", unary<[](double x) { return std::tanh(x); }>},
    {"Gelu", unary<[](double x) { return x * normal_share(x); }>},
    {"Swish", unary<[](double x) { return x * sigmoid(x); }>},
    {"ReluGradient", binary<relu_gradient>},
    {"SigmoidGradient", binary<[](double of_y, double y) { return of_y * y * (1 - y); }>},
    {"TanhGradient", binary<[](double of_y, double y) { return of_y * (1 - y * y); }>},
    {"GeluGradient", binary<gelu_gradient>},
    {"SwishGradient", binary<swish_gradient>},
    {"SigmoidCrossEntropyLoss", binary<sigmoid_cross_entropy>},
    {"SigmoidCrossEntropyLossGradient", binary<[](double score, double target) { return sigmoid(score) - target; }>},
    {"HuberLoss", with_delta<huber>},
    {"HuberLossGradient",
     with_delta<[](double difference, double delta) { return std::clamp(difference, -delta, delta); }>},
};

}  // namespace

std::span<const Function> elementwise_functions() {
  return functions;
}

}  // namespace carrack::train::reference
