#include "trainer/look/record_check.h"

#include <algorithm>
#include <variant>

#include "dataloader/images/image_decoder.h"
#include "dataloader/images/image_header.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/text.h"

namespace carrack::train {
namespace {

using data::Dtype;
using data::WalkedFeature;
using Strings = std::span<const std::string_view>;

std::size_t count_of(const WalkedFeature& found) {
  return std::visit([](const auto& values) { return values.size(); }, found.values);
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Returns the type with which a record stores the feature.
Dtype stored_type(const Feature& feature) {
  if (feature.image || feature.type == FeatureType::uint8 || feature.type == FeatureType::text) return Dtype::bytes;
  return feature.type == FeatureType::int64 ? Dtype::int64 : Dtype::float32;
}

// Returns text that describes the string, and says how to declare a feature that holds it.
std::string advice_for(std::string_view value, const Feature& feature) {
  if (const auto image = data::image_header_in(bytes_of(value))) {
    const std::string size =
        "{height: " + std::to_string(image->height) + ", width: " + std::to_string(image->width) + "}";
    return "a " + std::string(image->format) + " image; write {type: float32, image: " + size + "}";
  }
  if (value.size() == static_cast<std::size_t>(feature.size) && !data::is_text(value)) {
    return "as many bytes; write type: uint8";
  }
  if (data::is_text(value)) return "text, as " + data::excerpt(value) + "; write {type: text, buckets: 1000}";
  return "bytes that are no text and no image; a manifest names neither";
}

// A feature of the manifest, and the name of the record with which it is compared: both are part of problems.
struct Named {
  std::string_view record;
  const Feature& feature;

  LookProblem at(const std::string& below, const std::string& text) const {
    return {"spec.data.features." + feature.name + below, text};
  }
  // Returns "is 8, but x.tfrecord: record 3 holds ".
  std::string is_but_holds(const std::string& is) const {
    return "is " + is + ", but " + std::string(record) + " holds ";
  }
};

// The functions below return the problem of a record that lacks a feature, or has it with another type, size or content
// than the manifest says; nullopt if there is none.

LookProblem missing(const Named& named, std::span<const WalkedFeature> found) {
  constexpr std::size_t names_max = 20;
  std::vector<std::string_view> names;
  for (const WalkedFeature& one : found) {
    if (one.part == data::Part::features) names.push_back(one.name);
  }
  const std::string near = data::did_you_mean(named.feature.name, names);
  const std::string hint = near.starts_with("did you mean") ? "; " + near : "";
  const bool has_more = names.size() > names_max;
  names.resize(std::min(names.size(), names_max));
  const std::string all = names.empty() ? "none" : data::joined(names, ", ") + (has_more ? ", ..." : "");
  return named.at("", std::string(named.record) + " has no such feature; it has " + all + hint);
}

LookProblem other_type(const Named& named, const WalkedFeature& found) {
  const std::string type = found.dtype ? data::name_of(*found.dtype) : "no";
  if (named.feature.image) {
    return named.at(".image",
                    std::string(named.record) + " holds " + type + " values, and no encoded image; leave `image` out");
  }
  const std::string begin = named.is_but_holds(std::string(spelled(named.feature.type)));
  if (found.dtype == Dtype::bytes) {
    const Strings strings = std::get<Strings>(found.values);
    return named.at(".type", begin + (strings.empty() ? "no value" : advice_for(strings.front(), named.feature)));
  }
  const bool is_number = stored_type(named.feature) != Dtype::bytes;
  const std::string again = is_number
                                ? ", or make such records of CSV or JSON lines: `carrack data convert` with --types " +
                                      named.feature.name + "=" + std::string(spelled(named.feature.type))
                                : "";
  return named.at(".type", begin + type + " values; write type: " + type + again);
}

std::optional<LookProblem> other_image(const Named& named, Strings values) {
  if (values.size() != 1) {
    return named.at(".image", std::string(named.record) + " holds " + data::counted(values.size(), "value") +
                                  "; an image is one value");
  }
  data::ImageRequest request;
  request.channels = static_cast<std::uint32_t>(named.feature.image->channels);
  // The decoder reads the complete image whatever the requested size, so it finds all damage. 1 x 1 takes the least
  // memory.
  request.size = data::ImageSize{1, 1};
  std::vector<float> pixels(request.channels);
  data::ImageDecoder decoder(request);
  const auto why = decoder.decode(bytes_of(values.front()), {}, std::span(pixels));
  if (!why) return std::nullopt;
  return named.at(".image", std::string(named.record) + ": the image cannot be decoded: " + why->message);
}

std::optional<LookProblem> other_size(const Named& named, std::size_t found, const std::string& unit) {
  const Feature& feature = named.feature;
  if (found == static_cast<std::size_t>(feature.size)) return std::nullopt;
  const std::string holds = data::counted(found, unit);
  if (!feature.shape) {
    return named.at(
        ".size", named.is_but_holds(std::to_string(feature.size)) + holds + "; write size: " + std::to_string(found));
  }
  std::string shape;
  for (const std::int64_t dimension : *feature.shape) shape += (shape.empty() ? "[" : ", ") + std::to_string(dimension);
  return named.at(".shape",
                  named.is_but_holds(shape + "], " + data::counted(static_cast<std::size_t>(feature.size), unit)) +
                      holds + "; write a shape of so many");
}

std::optional<LookProblem> other_bytes(const Named& named, Strings values) {
  const Feature& feature = named.feature;
  if (feature.image) return other_image(named, values);
  if (feature.type == FeatureType::uint8) {
    std::size_t bytes = 0;  // of all values, because a job reads them one after the other
    for (const std::string_view value : values) bytes += value.size();
    return other_size(named, bytes, "byte");
  }
  if (auto problem = other_size(named, values.size(), "value")) return problem;
  if (feature.buckets > 0) return std::nullopt;
  const auto is_known = [&](std::string_view value) {
    return std::ranges::find(feature.words, value) != feature.words.end();
  };
  const auto unknown = std::ranges::find_if_not(values, is_known);
  if (unknown == values.end()) return std::nullopt;
  return named.at(".words", std::string(named.record) + " holds " + data::excerpt(*unknown) +
                                ", which is not one of them; add it, or set buckets for other words");
}

std::optional<LookProblem> compare(const Named& named, std::span<const WalkedFeature> all) {
  const auto found = std::ranges::find_if(all, [&](const WalkedFeature& one) {
    return one.part == data::Part::features && one.name == named.feature.name;
  });
  if (found == all.end()) return missing(named, all);
  if (found->dtype != stored_type(named.feature)) return other_type(named, *found);
  if (const auto* strings = std::get_if<Strings>(&found->values)) return other_bytes(named, *strings);
  return other_size(named, count_of(*found), "value");
}

}  // namespace

bool RecordCheck::add(std::string_view name, std::span<const std::byte> record) {
  if (walker_.walk(record) == data::ExampleWalker::Message::other) return false;
  bool is_good = true;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    std::optional<LookProblem> problem = compare({name, features_[i]}, walker_.features());
    is_good = is_good && !problem;
    if (!problems_[i]) problems_[i] = std::move(problem);
  }
  has_good_record_ = has_good_record_ || is_good;
  return true;
}

std::vector<LookProblem> RecordCheck::problems(OnDamage on_damage) const {
  std::vector<LookProblem> found;
  if (on_damage == OnDamage::skip && has_good_record_) return found;
  for (const std::optional<LookProblem>& problem : problems_) {
    if (problem) found.push_back(*problem);
  }
  return found;
}

}  // namespace carrack::train
