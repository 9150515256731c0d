#include "dataloader/records/example_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dataloader/records/columns.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/example_values.h"
#include "dataloader/records/packed_varints.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using wire::View;

// Removes `row` and all later rows from a column of lists. Rows before it that were skipped become empty rows.
void rewind(std::size_t count, std::size_t row, Column& column) {
  std::size_t end = row;
  for (std::vector<std::size_t>& splits : column.splits) {
    splits.resize(end + 1, splits.back());
    end = splits.back();
  }
  std::visit([&](auto& values) { values.resize(end * count, {}); }, column.values);
}

template <typename Value>
bool take_default(const Feature& requested, LargeVector<Value>& values, std::size_t begin) {
  if (!requested.default_values) return false;
  std::ranges::copy(std::get<LargeVector<Value>>(*requested.default_values),
                    values.begin() + static_cast<std::ptrdiff_t>(begin));
  return true;
}

}  // namespace

ExampleParser::ExampleParser(std::vector<Feature> features) {
  check_features(features);
  for (Feature& feature : features) {
    const std::uint32_t kind = static_cast<std::uint32_t>(feature.raw ? Dtype::bytes : feature.dtype);
    ExampleMap& part = feature.part == Part::features ? features_ : feature_lists_;
    const std::size_t place = part.request(feature.name, kind);
    requested_.push_back({std::move(feature), place, {}});
  }
  // The first request of a name decides the expected kind. So partitions are requested after all features: a partition
  // that is itself a requested feature may be of another kind than int64.
  for (Requested& requested : requested_) {
    for (const Partition& partition : requested.feature.partitions)
      requested.partitions.push_back(features_.request(partition.feature, static_cast<std::uint32_t>(Dtype::int64)));
  }
}

std::vector<Column> ExampleParser::columns(std::size_t rows) const {
  std::vector<Column> made;
  for (const Requested& requested : requested_) made.push_back(column_of(requested.feature, rows));
  return made;
}

std::optional<Mismatch> ExampleParser::parse(View record, std::size_t row, std::span<Column> columns) {
  if (layout_.fill(record, row, columns)) return std::nullopt;
  const auto offset = [&](const std::byte* at) { return static_cast<std::size_t>(at - record.data()); };
  if (const std::byte* malformed = find(record)) return Mismatch{offset(malformed), "it is not a tf.Example"};
  bool all_usual = true;
  for (std::size_t i = 0; i < requested_.size(); ++i) {
    const Requested& requested = requested_[i];
    if (fill_usual(requested, row, columns[i])) continue;
    all_usual = false;
    std::optional<Fault> fault = fill(requested, row, columns[i]);
    if (fault) return Mismatch{fault->at == nullptr ? 0 : offset(fault->at), std::move(fault->message)};
  }
  if (all_usual && layout_.should_learn(record)) layout_.learn(record, items_of(record));
  return std::nullopt;
}

// Returns the items of a record. Requires that fill_usual() returned true for all its features.
std::vector<RepeatedLayoutParser::Item> ExampleParser::items_of(View record) const {
  std::vector<RepeatedLayoutParser::Item> items;
  for (const Requested& requested : requested_) {
    const View item = found(requested).only;
    const bool is_of_ints = requested.feature.dtype == Dtype::int64;
    items.push_back({static_cast<std::size_t>(item.data() - record.data()), item.size(), items.size(),
                     is_of_ints ? std::byte{0x80} : std::byte{}});
  }
  return items;
}

// Finds the requested features of a record. Returns the first bad byte if the record is not a tf.Example, else nullptr.
const std::byte* ExampleParser::find(View record) {
  features_.begin_record();
  feature_lists_.begin_record();
  wire::Reader example(record);
  for (;;) {
    const std::byte* at = example.left().data();
    const std::optional<wire::Field> field = example.next();
    if (!field) return example.malformed() ? at : nullptr;
    const bool is_wanted = field->id == 1 || (field->id == 2 && feature_lists_.has_requests());
    if (!is_wanted) continue;
    if (field->type != wire::Type::delimited) return at;
    const std::byte* malformed = (field->id == 1 ? features_ : feature_lists_).read(field->bytes);
    if (malformed != nullptr) return malformed;
  }
}

void ExampleParser::pad(std::span<Column> columns) const {
  for (std::size_t i = 0; i < requested_.size(); ++i) data::pad(requested_[i].feature, columns[i]);
}

// The fast path for an item whose values are all in one field, as in nearly all records. Returns false if fill() is
// needed.
bool ExampleParser::fill_usual(const Requested& requested, std::size_t row, Column& column) const {
  const Feature& feature = requested.feature;
  const View only = found(requested).only;
  if (only.data() == nullptr || feature.shape != Shape::item || feature.raw) return false;
  const std::size_t begin = row * feature.count;
  if (auto* floats = std::get_if<LargeVector<float>>(&column.values)) {
    if (only.size() != feature.count * sizeof(float)) return false;
    copy_floats(only, floats->data() + begin);
    return true;
  }
  if (auto* ints = std::get_if<LargeVector<std::int64_t>>(&column.values))
    return decode_varints(only, std::span(*ints).subspan(begin, feature.count));
  if (feature.count != 1) return false;
  std::get<LargeVector<std::string_view>>(column.values)[row] = wire::text_of(only);
  return true;
}

std::optional<ExampleParser::Fault> ExampleParser::fill(const Requested& requested, std::size_t row, Column& column) {
  const Feature& feature = requested.feature;
  if (feature.shape != Shape::item) rewind(feature.count, row, column);
  return std::visit(
      [&](auto& values) {
        if (feature.shape == Shape::item) return fill_item(requested, row, values);
        if (feature.part == Part::features) return fill_list(requested, values, column);
        return fill_steps(requested, values, column);
      },
      column.values);
}

template <typename Value>
std::optional<ExampleParser::Fault> ExampleParser::fill_item(const Requested& requested, std::size_t row,
                                                             LargeVector<Value>& values) {
  const Feature& feature = requested.feature;
  ValueWriter<Value> into(values, row * feature.count, feature.count);
  const Parsed parsed = read_values(found(requested).value, feature.raw, into);
  if (parsed.outcome == Outcome::good && into.count() == feature.count) return std::nullopt;
  if (parsed.outcome == Outcome::unset && take_default(feature, values, row * feature.count)) return std::nullopt;
  return fault(feature, quoted(feature), found(requested).value, parsed, into.count());
}

template <typename Value>
std::optional<ExampleParser::Fault> ExampleParser::fill_list(const Requested& requested, LargeVector<Value>& values,
                                                             Column& column) {
  const Feature& feature = requested.feature;
  ValueWriter<Value> into(values, values.size(), ValueWriter<Value>::all);
  const Parsed parsed = read_values(found(requested).value, feature.raw, into);
  const bool is_list = parsed.outcome == Outcome::good || parsed.outcome == Outcome::unset;
  if (!is_list || into.count() % feature.count != 0)
    return fault(feature, quoted(feature), found(requested).value, parsed, into.count());
  return append_splits(requested, into.count() / feature.count, column);
}

template <typename Value>
std::optional<ExampleParser::Fault> ExampleParser::fill_steps(const Requested& requested, LargeVector<Value>& values,
                                                              Column& column) {
  const Feature& feature = requested.feature;
  const View list = found(requested).value;
  if (list.data() == nullptr && !feature.may_be_missing) return Fault{nullptr, "there is no " + quoted(feature)};
  std::size_t steps = 0;
  wire::Reader fields(list);
  for (;;) {
    const View at = fields.left();
    const std::optional<wire::Field> field = fields.next();
    if (!field && !fields.malformed()) break;
    if (field && field->id != 1) continue;
    if (!field || field->type != wire::Type::delimited) return Fault{at.data(), quoted(feature) + " is malformed"};
    if (std::optional<Fault> fault = fill_step(feature, steps++, field->bytes, values)) return fault;
    if (feature.shape == Shape::lists) column.splits[1].push_back(values.size() / feature.count);
  }
  column.splits[0].push_back(column.splits[0].back() + steps);
  return std::nullopt;
}

template <typename Value>
std::optional<ExampleParser::Fault> ExampleParser::fill_step(const Feature& feature, std::size_t number, View step,
                                                             LargeVector<Value>& values) {
  const bool is_list = feature.shape == Shape::lists;
  ValueWriter<Value> into(values, values.size(), is_list ? ValueWriter<Value>::all : feature.count);
  const Parsed parsed = read_values(step, feature.raw, into);
  const bool is_there = parsed.outcome == Outcome::good || (parsed.outcome == Outcome::unset && is_list);
  const bool is_whole = is_list ? into.count() % feature.count == 0 : into.count() == feature.count;
  if (is_there && is_whole) return std::nullopt;
  const std::string subject = "step " + std::to_string(number) + " of " + quoted(feature);
  return fault(feature, subject, step, parsed, into.count());
}

ExampleParser::Fault ExampleParser::fault(const Feature& requested, const std::string& subject, View message,
                                          const Parsed& parsed, std::size_t values) {
  const View at = parsed.at_fault.data() == nullptr ? message : parsed.at_fault;
  return {at.data(), mismatch_text(requested, subject, parsed, values)};
}

// Appends the splits of a row to the column. Divides the `items` items of the row by the partitions of the feature,
// from the innermost outwards: each partition groups the lists that the next inner partition has made.
std::optional<ExampleParser::Fault> ExampleParser::append_splits(const Requested& requested, std::size_t items,
                                                                 Column& column) {
  const Feature& feature = requested.feature;
  std::size_t parts = items;
  for (std::size_t level = feature.partitions.size(); level > 0; --level) {
    if (std::optional<Fault> fault = read_lengths(requested, level - 1)) return fault;
    std::size_t left = parts;
    for (const std::int64_t length : lengths_) {
      if (length < 0 || static_cast<std::size_t>(length) > left) {
        left = parts + 1;  // any number but 0, which the code below reports
        break;
      }
      left -= static_cast<std::size_t>(length);
      column.splits[level].push_back(column.splits[level].back() + static_cast<std::size_t>(length));
    }
    if (left != 0) {
      const char* what = level == feature.partitions.size() ? " items of " : " lists of ";
      return Fault{features_.at(requested.partitions[level - 1]).value.data(),
                   "feature \"" + feature.partitions[level - 1].feature + "\" does not add up to the " +
                       std::to_string(parts) + what + quoted(feature)};
    }
    parts = lengths_.size();
  }
  column.splits[0].push_back(column.splits[0].back() + parts);
  return std::nullopt;
}

// Reads the lengths of the lists of a partition into lengths_; splits are converted to lengths.
std::optional<ExampleParser::Fault> ExampleParser::read_lengths(const Requested& requested, std::size_t level) {
  const Partition& partition = requested.feature.partitions[level];
  const View message = features_.at(requested.partitions[level]).value;
  const Feature feature{partition.feature, Dtype::int64};
  lengths_.clear();
  ValueWriter<std::int64_t> into(lengths_, 0, ValueWriter<std::int64_t>::all);
  const Parsed parsed = read_values(message, {}, into);
  if (parsed.outcome != Outcome::good && parsed.outcome != Outcome::unset)
    return fault(feature, quoted(feature), message, parsed, into.count());
  if (partition.kind == Partition::Kind::lengths || lengths_.empty()) return std::nullopt;
  if (lengths_[0] != 0) return Fault{message.data(), quoted(feature) + " does not begin with 0"};
  // A difference of damaged splits may overflow, which is undefined for signed numbers. Unsigned numbers wrap around.
  // append_splits() refuses the wrong lengths that can result.
  for (std::size_t i = 0; i + 1 < lengths_.size(); ++i)
    lengths_[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(lengths_[i + 1]) -
                                            static_cast<std::uint64_t>(lengths_[i]));
  lengths_.pop_back();
  return std::nullopt;
}

}  // namespace carrack::data
