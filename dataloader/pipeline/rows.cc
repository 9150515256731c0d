#include "dataloader/pipeline/rows.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// The part of `from` behind `to`: splits are counted on from where `to` ends.
void append(NamedColumn& to, const NamedColumn& from, Range rows) {
  std::size_t begin = rows.begin, end = rows.end;
  for (std::size_t level = 0; level < from.splits.size(); ++level) {
    const std::vector<std::size_t>& splits = from.splits[level];
    std::vector<std::size_t>& into = to.splits[level];
    const std::size_t base = into.back();
    for (std::size_t i = begin + 1; i <= end; ++i) into.push_back(base + splits[i] - splits[begin]);
    begin = splits[begin];
    end = splits[end];
  }
  const auto size = static_cast<std::ptrdiff_t>(from.item_size());
  std::visit(
      [&](auto& values) {
        const auto& source = std::get<std::decay_t<decltype(values)>>(from.values).begin();
        values.insert(values.end(), source + static_cast<std::ptrdiff_t>(begin) * size,
                      source + static_cast<std::ptrdiff_t>(end) * size);
      },
      to.values);
}

// Some rows have them, or none.
template <typename OfRow>
void append(std::vector<OfRow>& to, const std::vector<OfRow>& from, Range rows) {
  if (from.empty()) return;
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(rows.begin),
            from.begin() + static_cast<std::ptrdiff_t>(rows.end));
}

NamedColumn empty_like(const NamedColumn& column) {
  NamedColumn empty{column.name, {}, column.item, {}};
  empty.splits.assign(column.splits.size(), {0});
  std::visit([&](const auto& values) { empty.values = std::decay_t<decltype(values)>(); }, column.values);
  return empty;
}

// The kept rows as ranges.
std::vector<Range> runs_of(const std::vector<bool>& kept) {
  std::vector<Range> runs;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    if (!runs.empty() && runs.back().end == i) {
      runs.back().end = i + 1;
    } else {
      runs.push_back({i, i + 1});
    }
  }
  return runs;
}

}  // namespace

std::size_t NamedColumn::item_size() const {
  return std::accumulate(item.begin(), item.end(), std::size_t{1}, std::multiplies{});
}

const NamedColumn& Rows::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &NamedColumn::name);
  if (found != columns.end()) return *found;
  std::string names;
  for (const NamedColumn& column : columns) names += (names.empty() ? "" : ", ") + column.name;
  throw Error("there is no column \"" + std::string(name) + "\"; there are: " + (names.empty() ? "none" : names));
}

NamedColumn& Rows::column(std::string_view name) {
  return const_cast<NamedColumn&>(std::as_const(*this).column(name));
}

void append(Rows& to, const Rows& from, Range range) {
  if (to.columns.empty())
    for (const NamedColumn& column : from.columns) to.columns.push_back(empty_like(column));
  for (std::size_t i = 0; i < from.columns.size(); ++i) append(to.columns[i], from.columns[i], range);
  append(to.origins, from.origins, range);
  append(to.places, from.places, range);
  to.count += range.size();
  for (const auto& memory : from.memory)
    if (std::ranges::find(to.memory, memory) == to.memory.end()) to.memory.push_back(memory);
}

void keep(Rows& rows, const std::vector<bool>& kept) {
  if (std::ranges::find(kept, false) == kept.end()) return;
  Rows left;
  for (const NamedColumn& column : rows.columns) left.columns.push_back(empty_like(column));
  for (const Range run : runs_of(kept)) append(left, rows, run);
  left.lost = std::move(rows.lost);
  left.memory = std::move(rows.memory);
  rows = std::move(left);
}

void lose(Rows& rows, std::vector<BadRow> bad) {
  if (bad.empty()) return;
  std::vector<bool> was_lost(rows.count + rows.lost.size());
  for (const Lost& lost : rows.lost) was_lost[lost.asked] = true;
  std::vector<std::size_t> asked;  // of each row
  for (std::size_t i = 0; i < was_lost.size(); ++i)
    if (!was_lost[i]) asked.push_back(i);
  std::vector<bool> kept(rows.count, true);
  for (BadRow& one : bad) {
    kept[one.row] = false;
    rows.lost.push_back({asked[one.row], std::move(one.why)});
  }
  std::ranges::sort(rows.lost, {}, &Lost::asked);
  keep(rows, kept);
}

void pad(NamedColumn& column, const ColumnValues& value) {
  if (column.splits.size() != 1) return;
  const std::vector<std::size_t>& splits = column.splits[0];
  std::size_t longest = 0;
  for (std::size_t row = 0; row + 1 < splits.size(); ++row) longest = std::max(longest, splits[row + 1] - splits[row]);
  const std::size_t size = column.item_size();
  std::visit(
      [&](auto& values) {
        using Vector = std::decay_t<decltype(values)>;
        const auto* padding = std::get_if<Vector>(&value);
        Vector padded;
        padded.reserve((splits.size() - 1) * longest * size);
        for (std::size_t row = 0; row + 1 < splits.size(); ++row) {
          const auto at = [&](std::size_t item) { return values.begin() + static_cast<std::ptrdiff_t>(item * size); };
          padded.insert(padded.end(), at(splits[row]), at(splits[row + 1]));
          padded.resize((row + 1) * longest * size,
                        padding && !padding->empty() ? padding->front() : typename Vector::value_type());
        }
        values = std::move(padded);
      },
      column.values);
  column.item.insert(column.item.begin(), longest);
  column.splits.clear();
}

}  // namespace carrack::data
