// From the rows of an ImageReader to those of an image of another size, one after the other: no image is held, only the
// two rows between which the next one lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/images/image_reader.h"
#include "dataloader/images/taps.h"

namespace carrack::data {

struct Resampling {
  Stretch down;
  Stretch across;
  std::uint32_t channels = 0;
  bool mirrored = false;
  Interpolation interpolation = Interpolation::bilinear;
};

class Resampler {
 public:
  // The reader's box must be as large as what is stretched.
  void start(ImageReader& reader, const Resampling& asked);
  // The next row, its values from 0 to 255.
  std::optional<Undecodable> next(std::span<float> into);

 private:
  // Goes on to a row of the box that is not behind the last one by more than one, and makes it as long as a new one.
  std::optional<Undecodable> row(std::uint32_t number, const float*& made);
  std::optional<Undecodable> mean(const Cover& cover, std::span<float> into);

  ImageReader* reader_ = nullptr;
  Resampling asked_;
  std::vector<Tap> taps_down_, taps_across_;
  std::vector<Cover> covers_down_, covers_across_;
  std::uint32_t read_ = 0;  // rows of the reader
  std::uint32_t made_ = 0;  // new rows
  struct Held {
    std::optional<std::uint32_t> number;
    std::vector<float> values;
  };
  std::array<Held, 2> held_;  // odd and even rows
};

}  // namespace carrack::data
