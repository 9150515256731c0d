#include "dataloader/images/row_interpolator.h"

#include <algorithm>
#include <utility>

#include "dataloader/images/row_arithmetic.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace carrack::data {
namespace {

constexpr std::size_t window_bytes = 16;  // the source bytes from which one shuffle instruction can select
constexpr std::uint8_t zero = 0x80;       // This byte in a shuffle's mask makes the byte of the result 0.

}  // namespace

#ifdef __x86_64__

bool RowInterpolator::has_avx2() {
  return __builtin_cpu_supports("avx2");
}

__attribute__((target("avx2"))) void RowInterpolator::interpolate_eights(const std::uint8_t* row, float* into) const {
  for (const Eight& eight : eights_) {
    const auto* const first = reinterpret_cast<const __m128i*>(row + eight.windows[0]);
    const auto* const second = reinterpret_cast<const __m128i*>(row + eight.windows[1]);
    const __m256i bytes = _mm256_set_m128i(_mm_loadu_si128(second), _mm_loadu_si128(first));
    const __m256i select_lower = _mm256_load_si256(reinterpret_cast<const __m256i*>(eight.lower.data()));
    const __m256i select_upper = _mm256_load_si256(reinterpret_cast<const __m256i*>(eight.upper.data()));
    const __m256 lower = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, select_lower));
    const __m256 upper = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, select_upper));
    const __m256 weights = _mm256_load_ps(eight.weights.data());
    _mm256_storeu_ps(into, _mm256_add_ps(lower, _mm256_mul_ps(_mm256_sub_ps(upper, lower), weights)));
    into += 8;
  }
}

#else

bool RowInterpolator::has_avx2() {
  return false;
}

void RowInterpolator::interpolate_eights(const std::uint8_t*, float*) const {}

#endif

void RowInterpolator::set_taps(std::vector<Tap> taps, std::size_t channels, bool may_use_avx2) {
  taps_ = std::move(taps);
  channels_ = channels;
  if (!may_use_avx2 || !has_avx2() || !plan_eights()) eights_.clear();
}

void RowInterpolator::interpolate(const std::uint8_t* row, float* into) const {
  if (eights_.empty())
    rows::interpolate(row, taps_, channels_, into);
  else
    interpolate_eights(row, into);
}

// Sets eights_ from taps_. Returns false if the source bytes of four neighbouring values do not fit into a window of 16
// bytes, because the image becomes much smaller.
bool RowInterpolator::plan_eights() {
  eights_.resize((taps_.size() * channels_ + 7) / 8);
  for (std::size_t i = 0; i < eights_.size(); ++i)
    if (!plan_half(8 * i, 0, eights_[i]) || !plan_half(8 * i + 4, 1, eights_[i])) return false;
  return true;
}

// Plans four values, from value number `first` on, as the first or second half of `eight`. If the row ends within the
// four, its last value is repeated. Returns false if their source bytes do not fit into a window.
bool RowInterpolator::plan_half(std::size_t first, std::size_t half, Eight& eight) const {
  std::array<std::size_t, 4> lower{}, upper{};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t value = std::min(first + i, taps_.size() * channels_ - 1);
    const Tap& tap = taps_[value / channels_];
    lower[i] = tap.lower * channels_ + value % channels_;
    upper[i] = tap.upper * channels_ + value % channels_;
    eight.weights[4 * half + i] = tap.weight;
  }
  const std::size_t begin = std::min(std::ranges::min(lower), std::ranges::min(upper));
  if (std::max(std::ranges::max(lower), std::ranges::max(upper)) - begin >= window_bytes) return false;
  eight.windows[half] = static_cast<std::uint32_t>(begin);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t at = window_bytes * half + 4 * i;
    std::fill_n(eight.lower.begin() + static_cast<std::ptrdiff_t>(at), 4, zero);
    std::fill_n(eight.upper.begin() + static_cast<std::ptrdiff_t>(at), 4, zero);
    eight.lower[at] = static_cast<std::uint8_t>(lower[i] - begin);
    eight.upper[at] = static_cast<std::uint8_t>(upper[i] - begin);
  }
  return true;
}

}  // namespace carrack::data
