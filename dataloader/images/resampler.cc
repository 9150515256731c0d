#include "dataloader/images/resampler.h"

#include <algorithm>
#include <utility>

#include "dataloader/images/row_arithmetic.h"

namespace carrack::data {

void Resampler::start(ImageReader& reader, const Resampling& resampling) {
  reader_ = &reader;
  resampling_ = resampling;
  const auto taps = resampling.interpolation == Interpolation::nearest ? nearest_taps : bilinear_taps;
  const bool area = resampling.interpolation == Interpolation::area;
  taps_down_ = area ? std::vector<Tap>() : taps(resampling.down);
  std::vector<Tap> taps_across = area ? std::vector<Tap>() : taps(resampling.across);
  covers_down_ = area ? covers(resampling.down) : std::vector<Cover>();
  covers_across_ = area ? covers(resampling.across) : std::vector<Cover>();
  if (resampling.mirrored) {
    std::ranges::reverse(taps_across);
    std::ranges::reverse(covers_across_);
  }
  if (!area) across_.set_taps(std::move(taps_across), resampling.channels);
  rows_read_ = rows_made_ = 0;
  for (CachedRow& cached : cached_rows_) {
    cached.number.reset();
    cached.values.resize(std::size_t{resampling.across.into} * resampling.channels + ImageReader::padding_bytes);
  }
}

std::optional<Undecodable> Resampler::row(std::uint32_t number, const float*& made) {
  CachedRow& cached = cached_rows_[number % 2];
  made = cached.values.data();
  if (cached.number == number) return {};
  std::variant<const std::uint8_t*, Undecodable> row;
  while (rows_read_ <= number) {
    row = reader_->next();
    if (const Undecodable* fault = std::get_if<Undecodable>(&row)) return *fault;
    ++rows_read_;
  }
  const std::uint8_t* from = std::get<const std::uint8_t*>(row);
  if (covers_across_.empty())
    across_.interpolate(from, cached.values.data());
  else
    rows::average(from, covers_across_, resampling_.channels, cached.values.data());
  cached.number = number;
  return {};
}

std::optional<Undecodable> Resampler::next(std::span<float> into) {
  const std::uint32_t number = rows_made_++;
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
