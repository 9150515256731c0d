#include "trainer/loop/setup/columns.h"

#include <utility>

#include "dataloader/pipeline/rows/image_function.h"
#include "dataloader/pipeline/rows/row_functions.h"

namespace carrack::train {
namespace {

data::ImageFunction decoding_of(const std::string& name, const Image& image, std::int64_t seed) {
  data::ImageFunction how{.column = name, .mirror = image.mirror, .seed = static_cast<std::uint64_t>(seed)};
  how.request.channels = static_cast<std::uint32_t>(image.channels);
  how.request.size = data::ImageSize{image.height, image.width};
  how.request.layout = image.layout == ImageLayout::nhwc ? data::Layout::channels_last : data::Layout::channels_first;
  how.request.scale.fill(static_cast<float>((image.white - image.black) / 255));
  how.request.offset.fill(static_cast<float>(image.black));
  if (image.crop.kind == CropKind::central) how.crop = data::CentralFraction{image.crop.fraction};
  if (image.crop.kind == CropKind::random) how.crop = data::DrawnCrop{.least_area = image.crop.min_area};
  return how;
}

}  // namespace

data::Feature data_feature(const Feature& feature) {
  if (feature.image) return {feature.name, data::Dtype::bytes, 1};
  const data::Dtype dtype = feature.type == FeatureType::float32 ? data::Dtype::float32 : data::Dtype::int64;
  return {feature.name, dtype, static_cast<std::size_t>(feature.size)};
}

data::RowsFunction columns_of(const std::vector<Feature>& features, std::int64_t seed) {
  std::vector<data::Feature> parsed;
  std::vector<data::RowsFunction> steps;
  for (const Feature& feature : features) {
    parsed.push_back(data_feature(feature));
    if (feature.image) steps.push_back(data::decode_images(decoding_of(feature.name, *feature.image, seed)));
  }
  steps.insert(steps.begin(), data::parse_examples(std::move(parsed)));
  return [steps = std::move(steps)](data::Rows& rows) {
    for (const data::RowsFunction& step : steps) step(rows);
  };
}

}  // namespace carrack::train
