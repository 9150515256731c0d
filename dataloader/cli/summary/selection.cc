#include "dataloader/cli/summary/selection.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "dataloader/text.h"

namespace carrack::data::cli {

std::optional<WalkedFeature> Selection::of(const WalkedFeature& feature) const {
  if (feature.name == typed) return feature;
  if (!position || feature.name != name || feature.part != Part::features) return std::nullopt;
  const auto one = [&](const auto& values) -> std::optional<ValuesView> {
    if (*position >= values.size()) return std::nullopt;
    return values.subspan(*position, 1);
  };
  const std::optional<ValuesView> value = std::visit(one, feature.values);
  if (!value) return std::nullopt;
  return WalkedFeature{typed, feature.part, feature.dtype, *value, feature.steps};
}

Selection parse_selection(const std::string& typed, const ColumnNames& columns) {
  const std::size_t bracket = typed.rfind('[');
  if (bracket == typed.npos || !typed.ends_with(']')) return {typed, typed};
  const std::string_view inside = std::string_view(typed).substr(bracket + 1, typed.size() - bracket - 2);
  const std::string name = typed.substr(0, bracket);
  if (const auto found = columns.find(name); found != columns.end()) {
    const auto column = std::ranges::find(found->second, inside);
    if (column != found->second.end()) return {typed, name, static_cast<std::size_t>(column - found->second.begin())};
  }
  const std::optional<std::size_t> position = number_in<std::size_t>(inside);
  return position ? Selection{typed, name, position} : Selection{typed, typed};
}

}  // namespace carrack::data::cli
