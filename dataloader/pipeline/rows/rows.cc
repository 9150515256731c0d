#include "dataloader/pipeline/rows/rows.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/rows/runs.h"

namespace carrack::data {
namespace {

// Appends rows of one column to another. A split is the position at which a list begins or ends. So each appended split
// is shifted: from the first appended list to the end of `to`.
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

// Appends the places (or origins) of a range of rows to `to`, which has those of the `before` rows so far. Either all
// rows have places or none has. So if some of these rows have none, clears `to`.
template <typename OfRow>
void append(std::vector<OfRow>& to, std::size_t before, const std::vector<OfRow>& from, Range rows) {
  if (from.empty() || to.size() < before) {
    to.clear();
    return;
  }
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(rows.begin),
            from.begin() + static_cast<std::ptrdiff_t>(rows.end));
}

bool have_same_type(const NamedColumn& a, const NamedColumn& b) {
  return a.name == b.name && a.values.index() == b.values.index() && a.item == b.item &&
         a.splits.size() == b.splits.size();
}

std::string describe(const std::vector<NamedColumn>& columns) {
  std::string text = "columns";
  for (const NamedColumn& column : columns) {
    text += (&column == &columns.front() ? " " : ", ") + column.name + " (" + kind_names[column.values.index()];
    for (const std::size_t size : column.item) text += ", " + std::to_string(size);
    for (std::size_t level = 0; level < column.splits.size(); ++level) text += ", list";
    text += ")";
  }
  return text;
}

NamedColumn empty_like(const NamedColumn& column) {
  NamedColumn empty{column.name, {}, column.item, {}};
  empty.splits.assign(column.splits.size(), {0});
  std::visit([&](const auto& values) { empty.values = std::decay_t<decltype(values)>(); }, column.values);
  return empty;
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

Corrupt bad_row(const Rows& rows, std::size_t row, Fault fault, std::string what) {
  if (rows.origins.empty()) return {fault, "", row, 0, 0, std::move(what)};
  const Origin& origin = rows.origins[row];
  return {fault, *origin.file, origin.record, origin.offset, 0, std::move(what)};
}

void check_rows(const Rows& rows, const std::string& maker) {
  for (const NamedColumn& column : rows.columns) {
    const std::size_t size = column.item_size();
    if (size == 0) continue;
    const std::size_t items = std::visit([](const auto& values) { return values.size(); }, column.values) / size;
    const std::size_t values = column.splits.empty() ? items : column.splits.front().size() - 1;
    if (values != rows.count)
      throw Error(maker + ": column \"" + column.name + "\" has " + std::to_string(values) + " values, and there are " +
                  std::to_string(rows.count) + " rows");
  }
}

void append(Rows& to, const Rows& from, Range range) {
  if (to.columns.empty())
    for (const NamedColumn& column : from.columns) to.columns.push_back(empty_like(column));
  if (!std::ranges::equal(to.columns, from.columns, have_same_type))
    throw Error("rows of one kind are expected, but after " + describe(to.columns) + " come " + describe(from.columns));
  for (std::size_t i = 0; i < from.columns.size(); ++i) append(to.columns[i], from.columns[i], range);
  append(to.origins, to.count, from.origins, range);
  append(to.places, to.count, from.places, range);
  to.count += range.size();
  for (const auto& memory : from.memory)
    if (std::ranges::find(to.memory, memory) == to.memory.end()) to.memory.push_back(memory);
}

std::vector<std::size_t> indexes_of(const Rows& rows) {
  std::vector<std::size_t> indexes;
  auto lost = rows.lost.begin();
  for (std::size_t index = 0; indexes.size() < rows.count; ++index) {
    if (lost != rows.lost.end() && lost->index == index) {
      ++lost;
    } else {
      indexes.push_back(index);
    }
  }
  return indexes;
}

void filter_rows(Rows& rows, const std::vector<bool>& kept) {
  if (std::ranges::find(kept, false) == kept.end()) return;
  Rows left;
  for (const NamedColumn& column : rows.columns) left.columns.push_back(empty_like(column));
  const auto follows = [&](std::size_t i) { return kept[i] == kept[i - 1]; };
  for_each_run(kept.size(), follows, [&](Range run) {
    if (kept[run.begin]) append(left, rows, run);
  });
  left.lost = std::move(rows.lost);
  left.is_cut = rows.is_cut;
  left.is_batch = rows.is_batch;
  left.memory = std::move(rows.memory);
  rows = std::move(left);
}

void drop_bad_rows(Rows& rows, std::vector<BadRow> bad) {
  if (bad.empty()) return;
  const std::vector<std::size_t> indexes = indexes_of(rows);
  std::vector<bool> kept(rows.count, true);
  for (BadRow& one : bad) {
    kept[one.row] = false;
    rows.lost.push_back({indexes[one.row], std::move(one.why)});
  }
  std::ranges::sort(rows.lost, {}, &Lost::index);
  filter_rows(rows, kept);
}

void cut_at_first_lost(Rows& rows) {
  if (rows.lost.empty()) return;
  const std::size_t left = std::min(rows.lost.front().index, rows.count);
  rows.lost.resize(1);
  rows.lost.front().index = left;
  rows.is_cut = true;
  if (left == rows.count) return;
  std::vector<bool> kept(rows.count);
  std::fill_n(kept.begin(), left, true);
  filter_rows(rows, kept);
}

void add_columns(Rows& to, Rows from) {
  for (NamedColumn& column : from.columns) {
    if (std::ranges::find(to.columns, column.name, &NamedColumn::name) != to.columns.end())
      throw Error("zip: two inputs have a column \"" + column.name + "\"");
    to.columns.push_back(std::move(column));
  }
  to.count = from.count;
  if (to.origins.empty()) to.origins = std::move(from.origins);
  if (to.places.empty()) to.places = std::move(from.places);
  to.memory.insert(to.memory.end(), from.memory.begin(), from.memory.end());
}

Rows with_own_memory(Rows rows) {
  std::uint64_t bytes = 0;
  std::vector<LargeVector<std::string_view>*> all;
  for (NamedColumn& column : rows.columns)
    if (auto* strings = std::get_if<LargeVector<std::string_view>>(&column.values)) all.push_back(strings);
  for (const auto* strings : all)
    for (const std::string_view one : *strings) bytes += one.size();
  const auto memory = std::make_shared_for_overwrite<char[]>(bytes);
  char* free = memory.get();
  for (auto* strings : all) {
    for (std::string_view& one : *strings) {
      std::memcpy(free, one.data(), one.size());
      one = {std::exchange(free, free + one.size()), one.size()};
    }
  }
  rows.memory.clear();
  if (bytes > 0) rows.memory.push_back(memory);
  return rows;
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
