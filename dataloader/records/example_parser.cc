#include "dataloader/records/example_parser.h"

#include <algorithm>
#include <utility>

#include "dataloader/records/example_problems.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

std::size_t levels_of(const Feature& asked) {
  if (asked.shape == Shape::item) return 0;
  if (asked.shape != Shape::lists) return 1;
  return asked.part == Part::feature_lists ? 2 : 1 + asked.partitions.size();
}

Values values_of(Dtype dtype, std::size_t size) {
  if (dtype == Dtype::bytes) return LargeVector<std::string_view>(size, std::string_view());
  if (dtype == Dtype::float32) return LargeVector<float>(size, 0.0f);
  return LargeVector<std::int64_t>(size, 0);
}

// From the last row on each moves to where it belongs among longer ones, so that none is overwritten unmoved.
void pad_column(const Feature& asked, Column& column) {
  const std::vector<std::size_t>& splits = column.splits.front();
  const std::size_t rows = splits.size() - 1;
  std::size_t longest = 0;
  for (std::size_t row = 0; row < rows; ++row) longest = std::max(longest, splits[row + 1] - splits[row]);
  const auto spread = [&]<typename Value>(LargeVector<Value>& values) {
    const Value padding = asked.otherwise ? std::get<LargeVector<Value>>(*asked.otherwise)[0] : Value();
    values.resize(rows * longest * asked.count);
    for (std::size_t row = rows; row-- > 0;) {
      Value* const from = values.data() + splits[row] * asked.count;
      Value* const to = values.data() + row * longest * asked.count;
      const std::size_t size = (splits[row + 1] - splits[row]) * asked.count;
      std::copy_backward(from, from + size, to + size);
      std::fill(to + size, to + longest * asked.count, padding);
    }
  };
  std::visit(spread, column.values);
  column.longest = longest;
}

}  // namespace

ExampleParser::ExampleParser(std::vector<Feature> features) {
  require_sense(features);
  for (Feature& feature : features) {
    const std::uint32_t kind = static_cast<std::uint32_t>(feature.raw ? Dtype::bytes : feature.dtype);
    ExampleMap& part = feature.part == Part::features ? features_ : feature_lists_;
    const std::size_t place = part.ask(feature.name, kind);
    asked_.push_back({std::move(feature), place, {}});
  }
  // Behind the features: one may be a partition of others, and it is its own kind that is expected.
  for (Asked& asked : asked_) {
    for (const Partition& partition : asked.feature.partitions)
      asked.partitions.push_back(features_.ask(partition.feature, static_cast<std::uint32_t>(Dtype::int64)));
  }
}

std::vector<Column> ExampleParser::columns(std::size_t rows) const {
  std::vector<Column> made;
  for (const Asked& asked : asked_) {
    const Feature& feature = asked.feature;
    const std::size_t size = feature.shape == Shape::item ? rows * feature.count : 0;
    made.push_back({values_of(feature.dtype, size), {levels_of(feature), {0}}});
  }
  return made;
}

std::optional<Mismatch> ExampleParser::parse(View record, std::size_t row, std::span<Column> columns) {
  const auto offset = [&](const std::byte* at) { return static_cast<std::size_t>(at - record.data()); };
  if (const std::byte* malformed = find(record)) return Mismatch{offset(malformed), "it is no tf.Example"};
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const Asked& asked = asked_[i];
    if (fill_usual(asked, row, columns[i])) continue;
    std::optional<Fault> fault = fill(asked, row, columns[i]);
    if (fault) return Mismatch{fault->at == nullptr ? 0 : offset(fault->at), std::move(fault->what)};
  }
  return std::nullopt;
}

// Where the record is no message of features, the byte at fault.
const std::byte* ExampleParser::find(View record) {
  features_.begin_record();
  feature_lists_.begin_record();
  wire::Reader example(record);
  for (;;) {
    const std::byte* at = example.left().data();
    const std::optional<wire::Field> field = example.next();
    if (!field) return example.malformed() ? at : nullptr;
    const bool is_wanted = field->id == 1 || (field->id == 2 && feature_lists_.asks_for_any());
    if (!is_wanted) continue;
    if (field->type != wire::Type::delimited) return at;
    const std::byte* malformed = (field->id == 1 ? features_ : feature_lists_).read(field->bytes);
    if (malformed != nullptr) return malformed;
  }
}

void ExampleParser::pad(std::span<Column> columns) const {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const Feature& feature = asked_[i].feature;
    if (feature.shape == Shape::padded) pad_column(feature, columns[i]);
  }
}

}  // namespace carrack::data
