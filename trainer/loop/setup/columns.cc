#include "trainer/loop/setup/columns.h"

#include <utility>

#include "dataloader/pipeline/rows/image_function.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/pipeline/rows/text_function.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

data::Dtype data_dtype(FeatureType type) {
  switch (type) {
    case FeatureType::float32:
    case FeatureType::uint8:
      return data::Dtype::float32;
    case FeatureType::int64:
      return data::Dtype::int64;
    case FeatureType::text:
      return data::Dtype::bytes;
  }
  throw Error(Blame::bug, "a feature of no type");
}

data::Layout data_layout(ImageLayout layout) {
  switch (layout) {
    case ImageLayout::nhwc:
      return data::Layout::channels_last;
    case ImageLayout::nchw:
      return data::Layout::channels_first;
  }
  throw Error(Blame::bug, "an image of no layout");
}

data::ImageFunction image_function(const std::string& name, const Image& image, std::int64_t seed) {
  data::ImageFunction function{.column = name, .mirror = image.mirror, .seed = static_cast<std::uint64_t>(seed)};
  function.request.channels = static_cast<std::uint32_t>(image.channels);
  function.request.size = data::ImageSize{image.height, image.width};
  function.request.layout = data_layout(image.layout);
  function.request.scale.fill(static_cast<float>((image.white - image.black) / 255));
  function.request.offset.fill(static_cast<float>(image.black));
  switch (image.crop.kind) {
    case CropKind::whole:
      break;
    case CropKind::central:
      function.crop = data::CentralFraction{image.crop.fraction};
      break;
    case CropKind::random:
      function.crop = data::RandomCropRange{.min_area = image.crop.min_area};
      break;
  }
  return function;
}

}  // namespace

data::Feature data_feature(const Feature& feature) {
  if (feature.image) return {feature.name, data::Dtype::bytes, 1};
  data::Feature parsed{feature.name, data_dtype(feature.type), static_cast<std::size_t>(feature.size)};
  if (feature.type == FeatureType::uint8) parsed.raw = data::Raw::uint8;
  return parsed;
}

data::RowsFunction columns_of(const std::vector<Feature>& features, std::int64_t seed) {
  std::vector<data::Feature> parsed;
  std::vector<data::RowsFunction> steps;
  for (const Feature& feature : features) {
    parsed.push_back(data_feature(feature));
    if (feature.image) steps.push_back(data::decode_images(image_function(feature.name, *feature.image, seed)));
    if (feature.type == FeatureType::text)
      steps.push_back(data::text_ids({feature.name, feature.words, feature.buckets}));
  }
  steps.insert(steps.begin(), data::parse_examples(std::move(parsed)));
  return [steps = std::move(steps)](data::Rows& rows) {
    for (const data::RowsFunction& step : steps) step(rows);
  };
}

data::OnDamage data_on_damage(OnDamage on_damage) {
  switch (on_damage) {
    case OnDamage::stop:
      return data::OnDamage::stop;
    case OnDamage::skip:
      return data::OnDamage::skip;
  }
  throw Error(Blame::bug, "no such way with damage");
}

data::Shuffle data_shuffle(const Shuffle& shuffle) {
  data::Shuffle result{.block = static_cast<std::uint64_t>(shuffle.block),
                       .window = static_cast<std::uint64_t>(shuffle.window)};
  switch (shuffle.kind) {
    case ShuffleKind::by_place:
      result.kind = data::Shuffle::Kind::by_place;
      break;
    case ShuffleKind::full:
      result.kind = data::Shuffle::Kind::full;
      break;
    case ShuffleKind::block:
      result.kind = data::Shuffle::Kind::block;
      break;
  }
  return result;
}

}  // namespace carrack::train
