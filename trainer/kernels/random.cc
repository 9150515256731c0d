#include "trainer/kernels/random.h"

#include <cmath>

#include "trainer/kernels/functions.h"
#include "trainer/kernels/philox.h"

namespace carrack::train {
namespace {

// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t size>
double polynomial(const double (&c)[size], double x) {
  double sum = 0;
  for (std::size_t i = size; i > 0; --i) sum = sum * x + c[i - 1];
  return sum;
}

// Returns the number below which a normally distributed number lies with probability `p`, from 2^-36 to 1 - 2^-36.
// Wichura's approximation (1988, algorithm AS 241, PPND7). It does not use functions of libm, which may round
// differently on another machine; square roots are exact everywhere.
double normal_quantile(double p) {
  constexpr double a[] = {3.3871327179, 50.434271938, 159.29113202, 59.109374720};
  constexpr double b[] = {1, 17.895169469, 78.757757664, 67.187563600};
  constexpr double c[] = {1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103};
  constexpr double d[] = {1, 0.73700164250, 0.12021132975};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double tail = q < 0 ? p : 1 - p;
  const double r = std::sqrt(-static_cast<double>(log_of(static_cast<float>(tail)))) - 1.6;
  return std::copysign(polynomial(c, r) / polynomial(d, r), q);
}

// Returns a result of uniform() plus half the distance between two results. So it is neither 0 nor 1, for which
// normal_quantile() is not defined.
double probability(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element) {
  return uniform(seed, purpose, name, element) + 0x1p-25;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  Counters<1> counters{{{counter[0]}, {counter[1]}, {counter[2]}, {counter[3]}}};
  draw_by_philox(counters, key);
  return {counters[0][0], counters[1][0], counters[2][0], counters[3][0]};
}

float uniform(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element) {
  const std::array<std::uint32_t, 4> drawn =
      philox({low_word(element), high_word(element), fnv1a(name), static_cast<std::uint32_t>(purpose)},
             {low_word(seed), high_word(seed)});
  return static_cast<float>(drawn[0] >> 8) * 0x1p-24f;
}

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
  return hash;
}

double normal(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element) {
  return normal_quantile(probability(seed, purpose, name, element));
}

double truncated_normal(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element) {
  constexpr double below = 0.022750131948179207;  // the probability of a number below -2
  return normal_quantile(below + (1 - 2 * below) * probability(seed, purpose, name, element));
}

}  // namespace carrack::train
