// Turns the rows of an ImageReader into the rows of an image of another size, one after the other. Only two source rows
// are in memory at a time. Not thread-safe.
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

struct Resampling {
  Stretch down;                // of the rows
  Stretch across;              // of the pixels within a row
  std::uint32_t channels = 0;  // 1 to 4
  bool mirrored = false;
  Interpolation interpolation = Interpolation::bilinear;
};

class Resampler {
 public:
  // Begins an image. `reader` has been started, but no row has been read from it; its box has resampling.down.pixels
  // rows and resampling.across.pixels columns. It must outlive the calls of next().
  void start(ImageReader& reader, const Resampling& resampling);
  // Computes the next of resampling.down.into rows: across.into * channels values from 0 to 255. Do not call it again
  // after the last row or an Undecodable.
  std::optional<Undecodable> next(std::span<float> into);

 private:
  // Sets `made` to row `number` of the box, resampled across. The row must be the last one read, the one before that,
  // or a later one.
  std::optional<Undecodable> row(std::uint32_t number, const float*& made);
  std::optional<Undecodable> mean(const Cover& cover, std::span<float> into);

  ImageReader* reader_ = nullptr;
  Resampling resampling_;
  std::vector<Tap> taps_down_;
  RowInterpolator across_;
  std::vector<Cover> covers_down_, covers_across_;
  std::uint32_t rows_read_ = 0;  // from reader_
  std::uint32_t rows_made_ = 0;
  struct CachedRow {
    std::optional<std::uint32_t> number;  // nullopt: the values are not set
    std::vector<float> values;
  };
  std::array<CachedRow, 2> cached_rows_;  // the last even and the last odd row, resampled across
};

}  // namespace carrack::data
