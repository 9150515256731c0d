// sigmoid and tanh for the gates of LSTM and GRU layers (recurrent_units.h). They are templates over the type of
// vectors of one instruction set or device, and compute all elements of a vector at the same time. They take a third of
// the time of those in functions.h, because they use fused multiply-adds and need no infinity: far from 0, the sigmoid
// is about 2e-38 or 1, and tanh is -1 or 1. Errors are below 6 units in the last place. The bits are the same on any
// machine. NaN gives NaN.
//
// A vector type V has all(float); the operators of arithmetic; fma(a, b, c) = a * b + c, rounded once; least(a, b) and
// greatest(a, b), which return b if either is NaN; and power_of_two(x): 2^n, where x is the float n + 1.5 * 2^23 and n
// a whole number from -126 to 127. Such a float has n in its low bits.
#pragma once

#include "trainer/kernels/host_device.h"

namespace carrack::train {

// Limits x to [-limit, limit]. NaN stays NaN.
template <class V>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline V clamped(V x, float limit) {
  return least(V::all(limit), greatest(V::all(-limit), x));
}

// Returns the polynomial of x whose coefficients are `first`, for the highest power, and `others`.
template <class V, class... Floats>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline V polynomial(V x, float first, Floats... others) {
  V sum = V::all(first);
  ((sum = fma(sum, x, V::all(others))), ...);
  return sum;
}

// 1 / (1 + exp(-x)), with exp by Cephes' polynomial as in functions.h.
template <class V>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline V gate_sigmoid(V x) {
  const V power = clamped(V::all(0.0f) - x, 87.0f);
  const V shifted = fma(power, V::all(1.44269504f), V::all(12582912.0f));
  const V n = shifted - V::all(12582912.0f);
  const V r = fma(n, V::all(2.12194440e-4f), fma(n, V::all(-0.693359375f), power));
  const V p = polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                         5.0000001201e-1f, 1.0f, 1.0f);
  return V::all(1.0f) / fma(p, V::power_of_two(shifted), V::all(1.0f));
}

// tanh(x) as x P(x^2) / Q(x^2), with the least relative error from -9 to 9 for polynomials of these degrees. Beyond 9,
// tanh differs from 1 by less than a unit in the last place.
template <class V>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline V gate_tanh(V x) {
  const V inside = clamped(x, 9.0f);
  const V square = inside * inside;
  const V p = polynomial(square, 1.3354457983894008e-08f, 2.0608938939403743e-05f, 0.0034955795854330063f,
                         0.13381017744541168f, 1.0f);
  const V q = polynomial(square, 7.776475854370801e-07f, 0.00032856204779818654f, 0.025876948609948158f,
                         0.46714332699775696f, 1.0f);
  // Without the limit, rounding could make the result greater than 1.
  return clamped(inside * p / q, 1.0f);
}

}  // namespace carrack::train
