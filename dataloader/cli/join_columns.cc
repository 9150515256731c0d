#include "dataloader/cli/join_columns.h"

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

// Resolves the values of --join one by one, and remembers which columns are joined already.
class ColumnJoiner {
 public:
  ColumnJoiner(const Request& request, std::vector<InferredColumn>& columns) : request_(request), columns_(columns) {}

  // Throws Refused if a column of the join does not exist.
  void require_columns(const Request::Join& join) const {
    for (const std::string& typed : join.columns) range_of(typed);
  }

  // Returns the joined feature, and gives its type to its columns.
  JoinedFeature resolve(const Request::Join& join) {
    JoinedFeature joined{join.name, type_override(request_, join.name).value_or(Dtype::float32), {}};
    if (joined.dtype == Dtype::bytes) throw Refused("--join: " + join.name + " is of numbers, not of bytes");
    for (const std::string& typed : join.columns) {
      const auto [first, last] = range_of(typed);
      for (std::size_t i = first; i <= last; ++i) add_column(columns_[i], joined);
    }
    return joined;
  }

  // Throws Refused if a column that is not joined has the name of the joined feature.
  void require_unique(const JoinedFeature& join) const {
    if (find_column(columns_, join.name) != columns_.end() && !joined_.contains(join.name))
      throw Refused("--join: there is a column " + join.name +
                    ", too; give the feature another name, or join that as well");
  }

 private:
  std::size_t require_column(const std::string& name) const {
    const auto found = find_column(columns_, name);
    if (found == columns_.end()) throw Refused("--join: " + unknown_column_message(name, columns_));
    return static_cast<std::size_t>(found - columns_.begin());
  }

  // Returns the indexes of the first and the last column of `a..b`. For a single name both are the index of this
  // column. A name that contains two dots is a single name if a column has it.
  std::pair<std::size_t, std::size_t> range_of(const std::string& typed) const {
    const std::size_t dots = typed.find("..");
    if (dots == typed.npos || find_column(columns_, typed) != columns_.end()) {
      const std::size_t one = require_column(typed);
      return {one, one};
    }
    const std::size_t first = require_column(typed.substr(0, dots)), last = require_column(typed.substr(dots + 2));
    if (first <= last) return {first, last};
    throw Refused("--join: " + typed + ": column " + columns_[last].feature.name + " comes before " +
                  columns_[first].feature.name);
  }

  // Adds the column to the joined feature. Throws Refused if it is joined already or has no numbers.
  void add_column(InferredColumn& column, JoinedFeature& join) {
    Feature& feature = column.feature;
    if (!joined_.insert(feature.name).second) throw Refused("--join: column " + feature.name + " is joined twice");
    const std::optional<Dtype> typed = type_override(request_, feature.name);
    if (typed && *typed != join.dtype)
      throw Refused("--join: --types has column " + feature.name + " otherwise than " + join.name +
                    "; give the type of " + join.name + " alone");
    if (column.skipped) throw Refused("--join: " + column.reason);
    if (feature.dtype == Dtype::bytes && !typed)
      throw Refused("--join: " + column.reason + ", and numbers alone are joined");
    feature.dtype = join.dtype;
    feature.shape = Shape::item;
    column.reason.clear();
    join.columns.push_back(feature.name);
  }

  const Request& request_;
  std::vector<InferredColumn>& columns_;
  std::set<std::string> joined_;  // the names of the columns that are part of a joined feature
};

using ColumnIndexes = std::unordered_map<std::string_view, std::size_t>;

// Returns the joined feature: for each row the values of its columns, one after the other.
template <typename Value>
NamedColumn side_by_side(const Rows& rows, const ColumnIndexes& indexes, const JoinedFeature& join) {
  const std::size_t width = join.columns.size();
  LargeVector<Value> values(rows.count * width);
  for (std::size_t i = 0; i < width; ++i) {
    const auto& from = std::get<LargeVector<Value>>(rows.columns[indexes.at(join.columns[i])].values);
    for (std::size_t row = 0; row < rows.count; ++row) values[row * width + i] = from[row];
  }
  return {join.name, std::move(values), width == 1 ? std::vector<std::size_t>() : std::vector{width}};
}

// Replaces the joined columns of the rows by the joined features, which come before all other columns.
void join_in_place(Rows& rows, const std::vector<JoinedFeature>& joins) {
  ColumnIndexes indexes;
  for (std::size_t i = 0; i < rows.columns.size(); ++i) indexes.emplace(rows.columns[i].name, i);
  std::vector<NamedColumn> result;
  std::vector<bool> is_joined(rows.columns.size());
  for (const JoinedFeature& one : joins) {
    const bool is_int = one.dtype == Dtype::int64;
    result.push_back(is_int ? side_by_side<std::int64_t>(rows, indexes, one) : side_by_side<float>(rows, indexes, one));
    for (const std::string& column : one.columns) is_joined[indexes.at(column)] = true;
  }
  for (std::size_t i = 0; i < rows.columns.size(); ++i)
    if (!is_joined[i]) result.push_back(std::move(rows.columns[i]));
  rows.columns = std::move(result);
}

}  // namespace

std::vector<InferredColumn>::iterator find_column(std::vector<InferredColumn>& columns, const std::string& name) {
  return std::ranges::find(columns, name, [](const InferredColumn& column) { return column.feature.name; });
}

std::string unknown_column_message(const std::string& name, const std::vector<InferredColumn>& columns) {
  std::vector<std::string_view> names;
  for (const InferredColumn& column : columns) names.push_back(column.feature.name);
  return "there is no column " + name + "; " + (names.empty() ? "there are none" : did_you_mean(name, names));
}

std::vector<JoinedFeature> resolve_joins(const Request& request, std::vector<InferredColumn>& columns) {
  ColumnJoiner joiner(request, columns);
  std::vector<JoinedFeature> joins;
  std::set<std::string> names;
  for (const Request::Join& one : request.joins) joiner.require_columns(one);
  for (const Request::Join& one : request.joins) {
    joins.push_back(joiner.resolve(one));
    if (!names.insert(one.name).second) throw Refused("--join: " + one.name + " is joined twice");
  }
  for (const JoinedFeature& one : joins) joiner.require_unique(one);
  return joins;
}

Dataset join_columns(const Dataset& rows, const std::vector<JoinedFeature>& joins) {
  if (joins.empty()) return rows;
  std::string name = "join";
  for (const JoinedFeature& one : joins) {
    name += " " + one.name + "=";
    for (const std::string& column : one.columns) name += (name.ends_with('=') ? "" : ",") + column;
  }
  return rows.map(name, [joins](Rows& chunk) { join_in_place(chunk, joins); });
}

}  // namespace carrack::data::cli
