#include "dataloader/pipeline/stages/canonical.h"

#include <cstdio>

#include "dataloader/crc32c.h"
#include "dataloader/pipeline/rows/row_bytes.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/raw_numbers.h"

namespace carrack::data {
namespace {

// Escapes spaces and the characters that separate the parts of a canonical text.
std::string escape(std::string_view value) {
  constexpr std::string_view reserved = "%=,>[]";
  std::string escaped;
  for (const char letter : value) {
    const bool is_plain = letter > ' ' && letter <= '~' && reserved.find(letter) == std::string_view::npos;
    char hex[4];
    std::snprintf(hex, sizeof hex, "%%%02x", static_cast<unsigned>(static_cast<unsigned char>(letter)));
    escaped += is_plain ? std::string(1, letter) : hex;
  }
  return escaped;
}

std::string canonical(Shape shape) {
  switch (shape) {
    case Shape::item:
      return "";
    case Shape::list:
      return ",list";
    case Shape::padded:
      return ",padded";
    case Shape::lists:
      return ",lists";
  }
  return "";
}

std::string canonical(const Feature& feature) {
  std::string text = escape(feature.name) + "," + name_of(feature.dtype);
  if (feature.count != 1) text += ",count=" + std::to_string(feature.count);
  text += canonical(feature.shape);
  if (feature.part == Part::feature_lists) text += ",steps";
  if (feature.raw) text += std::string(",raw=") + name_of(*feature.raw);
  for (const auto& [name, kind] : feature.partitions)
    text += (kind == Partition::Kind::lengths ? ",lengths=" : ",splits=") + escape(name);
  if (feature.may_be_missing) text += ",optional";
  if (feature.default_values) text += ",default=" + crc32c_hex(checksum_of(column_values(*feature.default_values)));
  return text;
}

}  // namespace

CanonicalStage& CanonicalStage::add(std::string_view key, std::string_view value) {
  text_ += " " + std::string(key) + "=" + escape(value);
  return *this;
}

CanonicalStage& CanonicalStage::add(std::string_view key, std::uint64_t value) {
  return add(key, std::to_string(value));
}

CanonicalStage& CanonicalStage::add(std::string_view key, const std::vector<std::string>& values) {
  for (const std::string& value : values) add(key, value);
  return *this;
}

CanonicalStage& CanonicalStage::add(const std::vector<Feature>& features) {
  for (const Feature& feature : features) text_ += " feature=" + canonical(feature);
  return *this;
}

}  // namespace carrack::data
