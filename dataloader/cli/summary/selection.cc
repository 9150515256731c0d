#include "dataloader/cli/summary/selection.h"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// The parts of `x[inside]`.
struct Bracketed {
  std::string feature;
  std::string_view inside;

  std::optional<std::size_t> position() const { return number_in<std::size_t>(inside); }
};

// Splits `x[inside]`; nullopt for text of another form. The result points into `typed`.
std::optional<Bracketed> bracketed(const std::string& typed) {
  const std::size_t bracket = typed.rfind('[');
  if (bracket == typed.npos || !typed.ends_with(']')) return std::nullopt;
  const std::string_view inside = std::string_view(typed).substr(bracket + 1, typed.size() - bracket - 2);
  return Bracketed{typed.substr(0, bracket), inside};
}

std::optional<std::size_t> position_of(std::string_view name, const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

}  // namespace

std::optional<WalkedFeature> Selection::select(const WalkedFeature& feature) const {
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
  const std::optional<Bracketed> value = bracketed(typed);
  if (!value) return {typed, typed};
  if (const auto position = value->position()) return {typed, value->feature, position};
  const auto found = columns.find(value->feature);
  const auto column = found == columns.end() ? std::nullopt : position_of(value->inside, found->second);
  return column ? Selection{typed, value->feature, column} : Selection{typed, typed};
}

std::string ambiguity(const std::string& typed, const ColumnNames& columns) {
  const std::optional<Bracketed> value = bracketed(typed);
  const std::optional<std::size_t> position = value ? value->position() : std::nullopt;
  if (!position || !columns.contains(value->feature)) return "";
  const std::vector<std::string>& names = columns.at(value->feature);
  const std::optional<std::size_t> column = position_of(value->inside, names);
  if (!column || column == position) return "";
  return typed + " is value " + std::to_string(*position) +
         (*position < names.size() ? " (column " + excerpt(names[*position]) + ")" : "") + ", and column " +
         excerpt(names[*column]) + " is " + value->feature + "[" + std::to_string(*column) + "]";
}

std::string column_problem(const std::string& typed, const ColumnNames& columns) {
  const std::optional<Bracketed> value = bracketed(typed);
  if (!value || value->position() || !columns.contains(value->feature)) return "";
  const std::vector<std::string>& names = columns.at(value->feature);
  if (position_of(value->inside, names)) return "";
  return value->feature + " has no column " + excerpt(value->inside) + "; " +
         did_you_mean(value->inside, std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace carrack::data::cli
