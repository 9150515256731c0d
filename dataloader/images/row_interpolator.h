// RowInterpolator: resizes the rows of an image horizontally for Resampler (bilinear and nearest); each new pixel is
// computed from two pixels of the row. It does the same as rows::interpolate() (row_arithmetic.h), but if the CPU has
// AVX2 and the row does not become much shorter, it computes eight values at a time, with the same bits in the result.
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataloader/images/taps.h"

namespace carrack::data {

class RowInterpolator {
 public:
  // Call this first, once for each image. `taps` has one tap for each new pixel of a row: from which two pixels it is
  // computed. A pixel has 1 to 4 channels. `may_use_avx2` is for tests: if it is false, AVX2 is not used.
  void set_taps(std::vector<Tap> taps, std::size_t channels, bool may_use_avx2 = true);
  // Resizes one row: writes a pixel for each tap to `into`. 16 more elements (ImageReader::padding_bytes) must be
  // readable after the pixels in `row`, and as many must be writable after the pixels in `into`; these may be
  // overwritten.
  void interpolate(const std::uint8_t* row, float* into) const;

 private:
  // How eight neighbouring values are computed. The first four values are computed from the 16 bytes of the row that
  // begin at windows[0], the other four from the 16 that begin at windows[1]. `lower` and `upper` are masks of a byte
  // shuffle that selects a source byte for each value and extends it to four bytes.
  struct alignas(32) Eight {
    std::array<std::uint8_t, 32> lower;
    std::array<std::uint8_t, 32> upper;
    std::array<float, 8> weights;
    std::array<std::uint32_t, 2> windows;
  };

  static bool has_avx2();
  // Computes a row as eights_ says. Only for a CPU with AVX2.
  void interpolate_eights(const std::uint8_t* row, float* into) const;
  bool plan_eights();
  bool plan_half(std::size_t first, std::size_t half, Eight& eight) const;

  std::vector<Tap> taps_;
  std::size_t channels_ = 1;
  std::vector<Eight> eights_;  // empty: taps_ are used
};

}  // namespace carrack::data
