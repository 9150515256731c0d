#include "dataloader/cli/joining.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "dataloader/error.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

class Joining {
 public:
  Joining(const Request& request, std::vector<JudgedColumn>& columns) : request_(request), columns_(columns) {}

  void require_columns(const Request::Join& join) const {
    for (const std::string& typed : join.columns) range_of(typed);
  }

  Joined take(const Request::Join& join) {
    Joined made{join.name, told_type(request_, join.name).value_or(Dtype::float32), {}};
    if (made.dtype == Dtype::bytes) throw Refused("--join: " + join.name + " is of numbers, not of bytes");
    for (const std::string& typed : join.columns) {
      const auto [first, last] = range_of(typed);
      for (std::size_t i = first; i <= last; ++i) take(columns_[i], made);
    }
    return made;
  }

  void require_apart(const Joined& join) const {
    const auto same =
        std::ranges::find(columns_, join.name, [](const JudgedColumn& column) { return column.feature.name; });
    if (same != columns_.end() && !taken_.contains(join.name))
      throw Refused("--join: there is a column " + join.name +
                    ", too; give the feature another name, or join that as well");
  }

 private:
  std::optional<std::size_t> place_of(const std::string& name) const {
    const auto found =
        std::ranges::find(columns_, name, [](const JudgedColumn& column) { return column.feature.name; });
    if (found == columns_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - columns_.begin());
  }

  std::pair<std::size_t, std::size_t> range_of(const std::string& typed) const {
    if (const auto one = place_of(typed)) return {*one, *one};
    const std::size_t dots = typed.find("..");
    if (dots != typed.npos) {
      const auto first = place_of(typed.substr(0, dots)), last = place_of(typed.substr(dots + 2));
      if (first && last && *first <= *last) return {*first, *last};
    }
    throw Refused("--join: " + no_column_text(typed, columns_));
  }

  void take(JudgedColumn& column, Joined& join) {
    Feature& feature = column.feature;
    if (!taken_.insert(feature.name).second) throw Refused("--join: column " + feature.name + " is joined twice");
    const std::optional<Dtype> told = told_type(request_, feature.name);
    if (told && *told != join.dtype)
      throw Refused("--join: --types has column " + feature.name + " otherwise than " + join.name +
                    "; give the type of " + join.name + " alone");
    if (column.is_left_out) throw Refused("--join: " + column.judged);
    if (feature.dtype == Dtype::bytes && !told)
      throw Refused("--join: " + column.judged + ", and numbers alone are joined");
    feature.dtype = join.dtype;
    feature.shape = Shape::item;
    column.judged.clear();
    join.columns.push_back(feature.name);
  }

  const Request& request_;
  std::vector<JudgedColumn>& columns_;
  std::set<std::string> taken_;
};

using Places = std::unordered_map<std::string_view, std::size_t>;

// The values of each row's columns behind each other.
template <typename Value>
NamedColumn side_by_side(const Rows& rows, const Places& places, const Joined& join) {
  const std::size_t width = join.columns.size();
  LargeVector<Value> values(rows.count * width);
  for (std::size_t i = 0; i < width; ++i) {
    const auto& from = std::get<LargeVector<Value>>(rows.columns[places.at(join.columns[i])].values);
    for (std::size_t row = 0; row < rows.count; ++row) values[row * width + i] = from[row];
  }
  return {join.name, std::move(values), width == 1 ? std::vector<std::size_t>() : std::vector{width}};
}

void join(Rows& rows, const std::vector<Joined>& joins) {
  Places places;
  for (std::size_t i = 0; i < rows.columns.size(); ++i) places.emplace(rows.columns[i].name, i);
  std::vector<NamedColumn> made;
  std::vector<bool> is_joined(rows.columns.size());
  for (const Joined& one : joins) {
    const bool is_int = one.dtype == Dtype::int64;
    made.push_back(is_int ? side_by_side<std::int64_t>(rows, places, one) : side_by_side<float>(rows, places, one));
    for (const std::string& column : one.columns) is_joined[places.at(column)] = true;
  }
  for (std::size_t i = 0; i < rows.columns.size(); ++i)
    if (!is_joined[i]) made.push_back(std::move(rows.columns[i]));
  rows.columns = std::move(made);
}

}  // namespace

std::string no_column_text(const std::string& name, const std::vector<JudgedColumn>& columns) {
  std::vector<std::string_view> names;
  for (const JudgedColumn& column : columns) names.push_back(column.feature.name);
  return "there is no column " + name + "; " + (names.empty() ? "there are none" : did_you_mean(name, names));
}

std::vector<Joined> take_joins(const Request& request, std::vector<JudgedColumn>& columns) {
  Joining joining(request, columns);
  std::vector<Joined> joins;
  std::set<std::string> names;
  for (const Request::Join& one : request.joins) joining.require_columns(one);
  for (const Request::Join& one : request.joins) {
    joins.push_back(joining.take(one));
    if (!names.insert(one.name).second) throw Refused("--join: " + one.name + " is joined twice");
  }
  for (const Joined& one : joins) joining.require_apart(one);
  return joins;
}

Dataset joined(const Dataset& rows, const std::vector<Joined>& joins) {
  if (joins.empty()) return rows;
  std::string words = "join";
  for (const Joined& one : joins) {
    words += " " + one.name + "=";
    for (const std::string& column : one.columns) words += (words.ends_with('=') ? "" : ",") + column;
  }
  return rows.map(words, [joins](Rows& chunk) { join(chunk, joins); });
}

}  // namespace carrack::data::cli
