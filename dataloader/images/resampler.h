// Resampler: resizes an image while it is decoded. It reads the rows of an ImageReader and returns the rows of an image
// of another size, from top to bottom. It stores only two source rows at a time. ImageDecoder uses one Resampler
// for one image after another. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/images/image_reader.h"
#include "dataloader/images/row_interpolator.h"
#include "dataloader/images/taps.h"

namespace carrack::data {

// How to resize one image. taps.h describes Stretch.
struct Resampling {
  Stretch down;                // how the rows are resized (the vertical axis)
  Stretch across;              // how the pixels of each row are resized (the horizontal axis)
  std::uint32_t channels = 0;  // 1 to 4
  bool mirrored = false;       // left and right are swapped
  Interpolation interpolation = Interpolation::bilinear;
};

class Resampler {
 public:
  // Begins an image. `reader` has been started, but no row has been read from it; its box must have
  // resampling.down.pixels rows and resampling.across.pixels columns. It must outlive the calls of next(); do not use
  // it otherwise until after the last of them.
  void start(ImageReader& reader, const Resampling& resampling);
  // Writes the next of resampling.down.into rows to `into`, whose size must be across.into * channels: values from 0 to
  // 255, not rounded, channels last. Returns nullopt, or why the source row cannot be decoded. Do not call it again
  // after the last row or an Undecodable.
  std::optional<Undecodable> next(std::span<float> into);

 private:
  // Sets `made` to row `number` of the box, resampled across; valid until a row two further is made. The row must be
  // the last one that was read, the one before that, or a later one.
  std::optional<Undecodable> row(std::uint32_t number, const float*& made);
  // Computes a row of the new image for Interpolation::area.
  std::optional<Undecodable> mean(const Cover& cover, std::span<float> into);

  ImageReader* reader_ = nullptr;
  Resampling resampling_;
  std::vector<Tap> taps_down_;  // empty for Interpolation::area
  RowInterpolator across_;
  std::vector<Cover> covers_down_, covers_across_;  // empty except for Interpolation::area
  std::uint32_t rows_read_ = 0;                     // rows of the box that were read from reader_
  std::uint32_t rows_made_ = 0;                     // rows of the new image, counting the one being made
  struct CachedRow {
    std::optional<std::uint32_t> number;  // nullopt: the values are not set
    std::vector<float> values;
  };
  std::array<CachedRow, 2> cached_rows_;  // the last even and the last odd row, resampled across
};

}  // namespace carrack::data
