// exp, log and functions made of them, for the kernels of every device. They use only arithmetic, comparisons and
// operations on bits, without branches. So compilers can vectorise loops that call them, and the bits are the same on
// any machine. Polynomials and the split of log(2) are from Cephes (Moshier). Errors are below 3 units in the last
// place unless a comment says otherwise. NaN gives NaN.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "trainer/kernels/host_device.h"

namespace carrack::train {

// log(2) in two parts. The products of the first part and whole numbers up to 2^7 are exact.
inline constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;

// exp(x), but 0 below about -87.34, where results would be denormal, and infinity above about 88.72.
CARRACK_HOST_DEVICE inline float exp_of(float x) {
  constexpr float lowest = -87.33654f, highest = 88.72283f;
  float clamped = x < lowest ? lowest : x;
  clamped = clamped > highest ? highest : clamped;
  // Adding 1.5 * 2^23 rounds to a whole number n, which is then in the low bits.
  const float shifted = clamped * 1.44269504f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (clamped - n * ln2_high) - n * ln2_low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  // 2^n in two factors, because n may be 128.
  const std::uint32_t whole = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(12582912.0f);
  const auto signed_whole = static_cast<std::int32_t>(whole);
  const std::int32_t half = signed_whole >> 1;
  const float first = std::bit_cast<float>((half + 127) << 23);
  const float second = std::bit_cast<float>((signed_whole - half + 127) << 23);
  float result = p * first * second;
  result = x < lowest ? 0.0f : result;
  result = x > highest ? std::numeric_limits<float>::infinity() : result;
  return x != x ? x : result;
}

// log(x) for positive normal numbers and infinity; minus infinity for 0. Results for denormal and negative numbers have
// no meaning.
CARRACK_HOST_DEVICE inline float log_of(float x) {
  // x = 2^e m with m from sqrt(1/2) to sqrt(2).
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t offset = bits - 0x3f3504f3u;
  const std::int32_t exponent = static_cast<std::int32_t>(offset) >> 23;
  const float m = std::bit_cast<float>((offset & 0x007fffffu) + 0x3f3504f3u);
  const float e = static_cast<float>(exponent);
  const float r = m - 1.0f;
  float p = 7.0376836292e-2f;
  p = p * r - 1.1514610310e-1f;
  p = p * r + 1.1676998740e-1f;
  p = p * r - 1.2420140846e-1f;
  p = p * r + 1.4249322787e-1f;
  p = p * r - 1.6668057665e-1f;
  p = p * r + 2.0000714765e-1f;
  p = p * r - 2.4999993993e-1f;
  p = p * r + 3.3333331174e-1f;
  const float square = r * r;
  float result = p * r * square + e * ln2_low - 0.5f * square + r + e * ln2_high;
  result = x == 0.0f ? -std::numeric_limits<float>::infinity() : result;
  result = x > std::numeric_limits<float>::max() ? x : result;
  return x != x ? x : result;
}

// log(1 + x) for x from 0 to 1, precise even where 1 + x rounds to 1.
CARRACK_HOST_DEVICE inline float log1p_of(float x) {
  const float sum = 1.0f + x;
  return log_of(sum) + (x - (sum - 1.0f)) / sum;
}

CARRACK_HOST_DEVICE inline float sigmoid_of(float x) {
  return 1.0f / (1.0f + exp_of(-x));
}

CARRACK_HOST_DEVICE inline float absolute(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffu);
}

CARRACK_HOST_DEVICE inline float tanh_of(float x) {
  const float size = absolute(x);
  const float square = x * x;
  float p = -5.70498872745e-3f;
  p = p * square + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const float near = p * square * x + x;
  const float positive = 1.0f - 2.0f / (exp_of(2.0f * size) + 1.0f);
  const float far = x < 0.0f ? -positive : positive;
  return size < 0.625f ? near : far;
}

// exp(-x^2 / 2). The relative error grows with x^2: it is about x^2 / 2 * 2^-24.
CARRACK_HOST_DEVICE inline float gaussian_of(float x) {
  return exp_of(-0.5f * (x * x));
}

// erf(x) as a quotient of two polynomials, which are Eigen's. The absolute error is up to 5e-7. The result is -1 below
// -4, and 1 above 4.
CARRACK_HOST_DEVICE inline float erf_of(float x) {
  const float square = x * x;
  float p = -2.72614225801306e-10f;
  p = p * square + 2.77068142495902e-8f;
  p = p * square - 2.10102402082508e-6f;
  p = p * square - 5.69250639462346e-5f;
  p = p * square - 7.34990630326855e-4f;
  p = p * square - 2.95459980854025e-3f;
  p = p * square - 1.60960333262415e-2f;
  float q = -1.45660718464996e-5f;
  q = q * square - 2.13374055278905e-4f;
  q = q * square - 1.68282697438203e-3f;
  q = q * square - 7.37332916720468e-3f;
  q = q * square - 1.42647390514189e-2f;
  const float near = x * p / q;
  const float sign = x < 0.0f ? -1.0f : 1.0f;
  return absolute(x) > 4.0f ? sign : near;
}

// The probability that a normally distributed number, with mean 0 and standard deviation 1, is below x. The absolute
// error is up to 3e-7.
CARRACK_HOST_DEVICE inline float normal_cdf_of(float x) {
  const float share = 0.5f + 0.5f * erf_of(x * 0.70710678f);
  return share < 0.0f ? 0.0f : share;
}

}  // namespace carrack::train
