#include "dataloader/images/resampler.h"

#include <algorithm>

#include "dataloader/images/row_arithmetic.h"

namespace carrack::data {

void Resampler::start(ImageReader& reader, const Resampling& asked) {
  reader_ = &reader;
  asked_ = asked;
  const auto taps = asked.interpolation == Interpolation::nearest ? nearest_taps : bilinear_taps;
  const bool area = asked.interpolation == Interpolation::area;
  taps_down_ = area ? std::vector<Tap>() : taps(asked.down);
  taps_across_ = area ? std::vector<Tap>() : taps(asked.across);
  covers_down_ = area ? covers(asked.down) : std::vector<Cover>();
  covers_across_ = area ? covers(asked.across) : std::vector<Cover>();
  if (asked.mirrored) {
    std::ranges::reverse(taps_across_);
    std::ranges::reverse(covers_across_);
  }
  read_ = made_ = 0;
  for (Held& held : held_) {
    held.number.reset();
    held.values.resize(std::size_t{asked.across.into} * asked.channels + ImageReader::slack);
  }
}

std::optional<Undecodable> Resampler::row(std::uint32_t number, const float*& made) {
  Held& held = held_[number % 2];
  made = held.values.data();
  if (held.number == number) return {};
  std::variant<const std::uint8_t*, Undecodable> row;
  while (read_ <= number) {
    row = reader_->next();
    if (const Undecodable* fault = std::get_if<Undecodable>(&row)) return *fault;
    ++read_;
  }
  const std::uint8_t* from = std::get<const std::uint8_t*>(row);
  if (covers_across_.empty())
    rows::interpolate(from, taps_across_, asked_.channels, held.values.data());
  else
    rows::average(from, covers_across_, asked_.channels, held.values.data());
  held.number = number;
  return {};
}

std::optional<Undecodable> Resampler::next(std::span<float> into) {
  const std::uint32_t number = made_++;
  if (!covers_down_.empty()) return mean(covers_down_[number], into);
  const Tap& tap = taps_down_[number];
  const float *lower = nullptr, *upper = nullptr;
  if (auto fault = row(tap.lower, lower)) return fault;
  if (auto fault = row(tap.upper, upper)) return fault;
  rows::interpolate(lower, upper, tap.weight, into);
  return {};
}

std::optional<Undecodable> Resampler::mean(const Cover& cover, std::span<float> into) {
  std::ranges::fill(into, 0.0f);
  for (std::uint32_t i = cover.first; i <= cover.last; ++i) {
    const float* values = nullptr;
    if (auto fault = row(i, values)) return fault;
    const float weight = i == cover.first ? cover.first_weight : i == cover.last ? cover.last_weight : 1;
    rows::add(values, weight * cover.scale, into);
  }
  return {};
}

}  // namespace carrack::data
