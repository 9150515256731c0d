#include "dataloader/records/example_parser.h"

#include <utility>

#include "dataloader/records/columns.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
ExampleParser::ExampleParser(std::vector<Feature> features) {
  check_features(features);
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
  for (const Asked& asked : asked_) made.push_back(column_of(asked.feature, rows));
  return made;
}

std::optional<Mismatch> ExampleParser::parse(View record, std::size_t row, std::span<Column> columns) {
  if (mold_.fill(record, row, columns)) return std::nullopt;
  const auto offset = [&](const std::byte* at) { return static_cast<std::size_t>(at - record.data()); };
  if (const std::byte* malformed = find(record)) return Mismatch{offset(malformed), "it is no tf.Example"};
  bool all_usual = true;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const Asked& asked = asked_[i];
    if (fill_usual(asked, row, columns[i])) continue;
    all_usual = false;
    std::optional<Fault> fault = fill(asked, row, columns[i]);
    if (fault) return Mismatch{fault->at == nullptr ? 0 : offset(fault->at), std::move(fault->message)};
  }
  if (all_usual && mold_.is_to_learn(record)) mold_.learn(record, items_of(record));
  return std::nullopt;
}

// Of a record whose features are all usual.
std::vector<RepeatedLayoutParser::Item> ExampleParser::items_of(View record) const {
  std::vector<RepeatedLayoutParser::Item> items;
  for (const Asked& asked : asked_) {
    const View item = found(asked).only;
    const bool is_of_ints = asked.feature.dtype == Dtype::int64;
    items.push_back({static_cast<std::size_t>(item.data() - record.data()), item.size(), items.size(),
                     is_of_ints ? std::byte{0x80} : std::byte{}});
  }
  return items;
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
  for (std::size_t i = 0; i < asked_.size(); ++i) data::pad(asked_[i].feature, columns[i]);
}

}  // namespace carrack::data
