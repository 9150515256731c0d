#include "dataloader/cli/summary/record_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "dataloader/cli/summary/number_format.h"
#include "dataloader/images/image_header.h"
#include "dataloader/records/wire.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t list_values_max = 10;
constexpr std::size_t text_bytes_max = 100;  // the maximum number of bytes that are shown of a text
constexpr std::size_t bytes_max = 16;        // the maximum number of bytes that are shown of a value that is not text

using Message = ExampleWalker::Message;

struct Layout {
  std::size_t list_max = unlimited;  // the maximum number of values that are shown of a list
  bool for_people = false;
};

std::string more_json(std::size_t count) {
  return "\"... " + counted(count) + " more\"";
}

std::string describe_bytes(std::string_view bytes) {
  if (const auto image = image_header_in(wire::bytes_of(bytes))) {
    return "\"" + std::string(image->format) + " " + std::to_string(image->width) + "x" +
           std::to_string(image->height) + ", " + counted(bytes.size(), "byte") + "\"";
  }
  if (is_text(bytes) && bytes.size() <= text_bytes_max) return json_string(bytes);
  const bool readable = is_text(bytes);
  std::size_t front = std::min(bytes.size(), readable ? text_bytes_max : bytes_max);
  // Moves the end back to the beginning of a UTF-8 character, so that no character is cut in two.
  while (readable && (static_cast<unsigned char>(bytes[front]) & 0xc0) == 0x80) --front;
  std::string beginning(bytes.substr(0, front));
  if (!readable) beginning = printable(beginning);
  const std::size_t left = bytes.size() - front;
  return json_string(beginning + (left == 0 ? "" : "... " + counted(left, "more byte")));
}

std::string value_json(std::string_view bytes, Layout layout) {
  if (layout.for_people) return describe_bytes(bytes);
  return is_text(bytes) ? json_string(bytes) : "{\"base64\": \"" + base64(bytes) + "\"}";
}
std::string value_json(float value, Layout) {
  return json_number(value);
}
std::string value_json(std::int64_t value, Layout) {
  return std::to_string(value);
}

// Returns a JSON list of item(0), item(1) and so on, up to list_max. Calls item() once for each index, in order.
template <typename Item>
std::string list_of(std::size_t count, Layout layout, const Item& item) {
  std::string json = "[";
  for (std::size_t i = 0; i < std::min(count, layout.list_max); ++i) json += (i == 0 ? "" : ", ") + item(i);
  if (count > layout.list_max) json += ", " + more_json(count - layout.list_max);
  return json + "]";
}

std::string values_json(const ValuesView& values, Layout layout) {
  return std::visit(
      [&](const auto& kind) {
        return list_of(kind.size(), layout, [&](std::size_t i) { return value_json(kind[i], layout); });
      },
      values);
}

std::string steps_json(const WalkedFeature& feature, Layout layout) {
  std::size_t begin = 0;
  return list_of(feature.steps.size(), layout, [&](std::size_t i) {
    const std::size_t at = std::exchange(begin, begin + feature.steps[i]);
    return std::visit([&](const auto& kind) { return values_json(kind.subspan(at, feature.steps[i]), layout); },
                      feature.values);
  });
}

// Returns the features of one part as a JSON object. With `indent`, the indentation of the object, each feature is on a
// line of its own.
std::string part_json(std::span<const WalkedFeature> features, Part part, Layout layout,
                      const std::optional<std::string>& indent) {
  std::string json;
  for (const WalkedFeature& feature : features) {
    if (feature.part != part) continue;
    json += json.empty() ? "" : indent ? "," : ", ";
    if (indent) json += "\n" + *indent + "  ";
    json += name_json(feature.name) + ": " +
            (part == Part::features ? values_json(feature.values, layout) : steps_json(feature, layout));
  }
  return "{" + json + (indent && !json.empty() ? "\n" + *indent : "") + "}";
}

}  // namespace

std::string readable_name(std::string_view name) {
  return is_utf8(name) ? std::string(name) : printable(name);
}

std::string name_json(std::string_view name) {
  return json_string(readable_name(name));
}

std::string record_json(std::span<const std::byte> record, ExampleWalker& walker) {
  const Message message = walker.walk(record);
  if (message == Message::other) return "{\"data\": " + value_json(wire::text_of(record), Layout{}) + "}";
  const std::string features = part_json(walker.features(), Part::features, {}, {});
  if (message == Message::example) return features;
  return "{\"context\": " + features +
         ", \"feature_lists\": " + part_json(walker.features(), Part::feature_lists, {}, {}) + "}";
}

std::string record_text(std::span<const std::byte> record, ExampleWalker& walker) {
  const Layout layout{list_values_max, true};
  const Message message = walker.walk(record);
  if (message == Message::other) return "  \"data\": " + describe_bytes(wire::text_of(record));
  const std::string features = part_json(walker.features(), Part::features, layout, "  ");
  if (message == Message::example) return "  \"features\": " + features;
  return "  \"context\": " + features +
         ",\n  \"feature_lists\": " + part_json(walker.features(), Part::feature_lists, layout, "  ");
}

std::string values_text(const ValuesView& values, std::size_t values_max) {
  return values_json(values, {values_max, true});
}

}  // namespace carrack::data::cli
