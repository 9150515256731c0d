#include "dataloader/pipeline/rows/row_examples.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {
namespace {

constexpr std::size_t uint8_kind = 3;  // the index of uint8 in ColumnValues

std::size_t values_in(const std::vector<std::size_t>& item) {
  return NamedColumn{{}, {}, item, {}}.item_size();
}

// Returns the name of the feature that stores the lengths of nested lists. Level 1 is for the lists that are directly
// within the list of a row.
std::string lengths_name(const std::string& column, std::size_t level) {
  return column + "/lengths" + (level > 1 ? std::to_string(level) : "");
}

// True if each row is one item of uint8, such as an image. Such a row is written as one string, not as numbers.
bool is_one_string(const ColumnType& type) {
  return type.kind == uint8_kind && type.lists == 0;
}

// Makes the features of an Example from one column, for one row at a time.
class FeatureWriter {
 public:
  explicit FeatureWriter(const NamedColumn& column) : column_(column), size_(column.item_size()) {
    for (std::size_t level = 1; level < column.splits.size(); ++level)
      names_.push_back(lengths_name(column.name, level));
    lengths_.resize(names_.size());
  }

  bool has_values(std::size_t row) const {
    if (column_.splits.empty()) return true;
    const std::vector<std::size_t>& splits = column_.splits.front();
    return (splits[row + 1] - splits[row]) * size_ > 0;
  }
  // Appends the features of a row. Their values point into the column and into this object, so they are valid until the
  // next call of append().
  void append(std::size_t row, std::vector<NamedValues>& features) {
    std::size_t begin = row, end = row + 1;
    for (std::size_t level = 0; level < column_.splits.size(); ++level) {
      const std::vector<std::size_t>& splits = column_.splits[level];
      if (level > 0) append_lengths(level - 1, std::span(splits).subspan(begin, end - begin + 1), features);
      begin = splits[begin];
      end = splits[end];
    }
    const std::size_t at = begin * size_, count = (end - begin) * size_;
    features.push_back(
        {column_.name, std::visit([&](const auto& values) { return view(values, at, count); }, column_.values)});
  }

 private:
  void append_lengths(std::size_t which, std::span<const std::size_t> splits, std::vector<NamedValues>& features) {
    std::vector<std::int64_t>& lengths = lengths_[which];
    lengths.clear();
    for (std::size_t i = 0; i + 1 < splits.size(); ++i)
      lengths.push_back(static_cast<std::int64_t>(splits[i + 1] - splits[i]));
    features.push_back({names_[which], std::span<const std::int64_t>(lengths)});
  }
  template <typename Value>
  ValuesView view(const LargeVector<Value>& values, std::size_t at, std::size_t count) {
    return std::span<const Value>(values).subspan(at, count);
  }
  ValuesView view(const LargeVector<std::uint8_t>& values, std::size_t at, std::size_t count) {
    bytes_ = {reinterpret_cast<const char*>(values.data()) + at, count};
    return std::span<const std::string_view>(&bytes_, 1);
  }

  const NamedColumn& column_;
  const std::size_t size_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::int64_t>> lengths_;
  std::string_view bytes_;
};

// Returns the Feature with which parse_examples() reads a column of this type from Examples.
Feature feature_of(const ColumnType& type) {
  Feature feature{type.name};
  feature.dtype = type.kind == uint8_kind ? Dtype::int64 : static_cast<Dtype>(type.kind + 1);
  feature.count = values_in(type.item);
  feature.shape = type.lists == 0 ? Shape::item : type.lists == 1 ? Shape::list : Shape::lists;
  for (std::size_t level = 1; level < type.lists; ++level)
    feature.partitions.push_back({lengths_name(type.name, level), Partition::Kind::lengths});
  if (type.kind == uint8_kind) feature.raw = Raw::uint8;
  if (is_one_string(type)) feature = {type.name, Dtype::bytes};
  return feature;
}

// A uint8 item is stored as a string of bytes. Drops the rows in which the size of such a string is not the size of an
// item.
void drop_wrong_sizes(const std::vector<ColumnType>& types, Rows& rows) {
  std::vector<BadRow> bad;
  for (std::size_t row = 0; row < rows.count; ++row) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!is_one_string(types[i])) continue;
      const std::size_t size = std::get<LargeVector<std::string_view>>(rows.columns[i].values)[row].size();
      const std::size_t wanted = values_in(types[i].item);
      if (size == wanted) continue;
      Corrupt why = bad_row(rows, row, Fault::bad_example,
                            "feature \"" + types[i].name + "\" has " + std::to_string(size) + " bytes, and " +
                                std::to_string(wanted) + " are needed");
      why.lost = size;
      bad.push_back({row, std::move(why)});
      break;
    }
  }
  drop_bad_rows(rows, std::move(bad));
}

LargeVector<std::uint8_t> bytes_of_texts(const LargeVector<std::string_view>& texts, std::size_t size) {
  LargeVector<std::uint8_t> bytes(texts.size() * size);
  std::uint8_t* at = bytes.data();
  for (const std::string_view text : texts) at = std::copy(text.begin(), text.end(), at);
  return bytes;
}

// Replaces all columns by the column "record", which has an encoded Example for each row.
void replace_by_examples(Rows& rows, bool with_empty_lists) {
  const auto examples = std::make_shared<Bytes>();
  std::vector<std::size_t> ends;
  std::vector<FeatureWriter> writers(rows.columns.begin(), rows.columns.end());
  std::vector<NamedValues> features;
  for (std::size_t row = 0; row < rows.count; ++row) {
    features.clear();
    for (FeatureWriter& writer : writers)
      if (with_empty_lists || writer.has_values(row)) writer.append(row, features);
    const Bytes example = example_of(features);
    examples->insert(examples->end(), example.begin(), example.end());
    ends.push_back(examples->size());
  }
  // Makes the views only now, because `examples` may have moved its bytes while it grew.
  LargeVector<std::string_view> records;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    records.emplace_back(reinterpret_cast<const char*>(examples->data()) + begin, end - begin);
    begin = end;
  }
  rows.columns.clear();
  rows.columns.push_back({"record", std::move(records)});
  rows.memory.assign(1, examples);
}

}  // namespace

std::vector<ColumnType> types_of(const Rows& rows) {
  std::vector<ColumnType> types;
  for (const NamedColumn& column : rows.columns)
    types.push_back({column.name, column.values.index(), column.item, column.splits.size()});
  return types;
}

std::string shape_text(const std::vector<std::size_t>& item) {
  std::string text;
  for (const std::size_t side : item) text += (text.empty() ? "" : ",") + std::to_string(side);
  return "[" + text + "]";
}

std::string describe(const ColumnType& type) {
  std::string words = type.name + ": ";
  for (std::size_t level = 0; level < type.lists; ++level) words += "lists of ";
  words += kind_names[type.kind];
  return type.item.empty() ? words : words + " " + shape_text(type.item);
}

void check_writable(const std::vector<ColumnType>& types) {
  std::set<std::string> names;
  for (const ColumnType& type : types) {
    if (values_in(type.item) == 0)
      throw Error("column \"" + describe(type) + "\" has items without values, and is not written; leave it out");
    if (type.lists > max_list_depth)
      throw Error("column \"" + type.name + "\" has lists in lists " + std::to_string(type.lists) + " deep, and " +
                  std::to_string(max_list_depth) + " is the most");
    std::vector<std::string> features{type.name};
    for (std::size_t level = 1; level < type.lists; ++level) features.push_back(lengths_name(type.name, level));
    for (const std::string& name : features)
      if (!names.insert(name).second)
        throw Error("two columns would be the feature \"" + name + "\" of an Example; rename one of them");
  }
}

void to_examples(Rows& rows) {
  replace_by_examples(rows, true);
}

RowsFunction from_examples(std::vector<ColumnType> types) {
  std::vector<Feature> features;
  std::ranges::transform(types, std::back_inserter(features), feature_of);
  return [types = std::move(types), parse = parse_examples(std::move(features))](Rows& rows) {
    parse(rows);
    drop_wrong_sizes(types, rows);
    for (std::size_t i = 0; i < types.size(); ++i) {
      NamedColumn& column = rows.columns[i];
      column.item = types[i].item;
      if (is_one_string(types[i])) {
        column.values = bytes_of_texts(std::get<LargeVector<std::string_view>>(column.values), column.item_size());
      } else if (types[i].kind == uint8_kind) {
        const auto& numbers = std::get<LargeVector<std::int64_t>>(column.values);
        LargeVector<std::uint8_t> bytes(numbers.size());
        std::ranges::transform(numbers, bytes.begin(),
                               [](std::int64_t byte) { return static_cast<std::uint8_t>(byte); });
        column.values = std::move(bytes);
      }
    }
  };
}

RowsFunction write_examples() {
  return [](Rows& rows) {
    for (const NamedColumn& column : rows.columns)
      if (column.splits.size() > 1)
        throw Error("column \"" + column.name + "\" holds lists of lists, and no Example does");
    replace_by_examples(rows, false);
  };
}

}  // namespace carrack::data
