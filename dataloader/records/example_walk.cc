#include "dataloader/records/example_walk.h"

#include <algorithm>
#include <tuple>

#include "dataloader/records/example_values.h"
#include "dataloader/records/map_entry.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

// Returns the type of the first list in an encoded tf.Feature; nullopt if it has no list.
std::optional<Dtype> dtype_of(wire::View feature) {
  wire::Reader fields(feature);
  while (const std::optional<wire::Field> field = fields.next())
    if (field->id <= 3) return static_cast<Dtype>(field->id);
  return std::nullopt;
}

template <typename Value>
Outcome append(wire::View feature, LargeVector<Value>& values) {
  ValueWriter<Value> into(values, values.size(), ValueWriter<Value>::all);
  return read_values(feature, {}, into).outcome;
}

}  // namespace

ExampleWalker::Message ExampleWalker::walk(View record) {
  entries_.clear();
  features_.clear();
  begins_.clear();
  strings_.clear();
  floats_.clear();
  ints_.clear();
  steps_.clear();
  bool has_lists = false;
  wire::Reader fields(record);
  while (const std::optional<wire::Field> field = fields.next()) {
    if (field->id > 2) continue;
    const Part part = field->id == 1 ? Part::features : Part::feature_lists;
    has_lists |= part == Part::feature_lists;
    if (field->type != wire::Type::delimited || !take_map(part, field->bytes)) return Message::other;
  }
  if (fields.malformed()) return Message::other;
  keep_one_of_each_name();
  for (const Entry& entry : entries_)
    if (!take(entry)) return Message::other;
  point_to_values();
  return has_lists ? Message::sequence_example : Message::example;
}

// Adds the entries of an encoded map to entries_. Returns false if the message is malformed.
bool ExampleWalker::take_map(Part part, View message) {
  wire::Reader fields(message);
  while (const std::optional<wire::Field> field = fields.next()) {
    if (field->id != 1) continue;
    if (field->type != wire::Type::delimited) return false;
    const MapEntry entry = map_entry_in(field->bytes);
    if (entry.malformed != nullptr) return false;
    // A Feature without any value counts as absent. A FeatureList without steps does not.
    const bool is_there = part == Part::feature_lists || !entry.value.empty();
    if (is_there) entries_.push_back({part, entry.name, entry.value});
  }
  return !fields.malformed();
}

// Sorts the entries by part and name. If a name occurs several times, only its last entry counts, as in every protobuf
// map, so removes the others.
void ExampleWalker::keep_one_of_each_name() {
  const auto key = [](const Entry& entry) { return std::tie(entry.part, entry.name); };
  std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  const auto same = [&](const Entry& a, const Entry& b) { return key(a) == key(b); };
  entries_.erase(entries_.begin(), std::unique(entries_.rbegin(), entries_.rend(), same).base());
}

bool ExampleWalker::take(const Entry& entry) {
  const Begin begin = here();
  std::optional<Dtype> dtype;
  const bool is_list = entry.part == Part::feature_lists;
  if (is_list ? !take_steps(entry.value, dtype) : !take_list(entry.value, dtype)) return false;
  // A Feature without a list of values is left out.
  if (!is_list && !dtype) return true;
  features_.push_back({entry.name, entry.part, dtype, {}, {}});
  begins_.push_back(begin);
  return true;
}

// Adds the values of an encoded tf.Feature. If `dtype` is set, its list must be of that type; else sets `dtype` to the
// type of the list, if it has one. Returns false if the message is malformed or of another type.
bool ExampleWalker::take_list(View message, std::optional<Dtype>& dtype) {
  const std::optional<Dtype> found = dtype_of(message);
  if (found && dtype && *found != *dtype) return false;
  if (found) dtype = found;
  const auto outcome = [&] {
    if (found == Dtype::float32) return append(message, floats_);
    return found == Dtype::int64 ? append(message, ints_) : append(message, strings_);
  }();
  return outcome == Outcome::good || outcome == Outcome::unset;
}

// Adds the values of an encoded FeatureList, and for each step its number of values to steps_. Returns false as
// take_list() does.
bool ExampleWalker::take_steps(View message, std::optional<Dtype>& dtype) {
  wire::Reader fields(message);
  while (const std::optional<wire::Field> field = fields.next()) {
    if (field->id != 1) continue;
    const std::size_t before = strings_.size() + floats_.size() + ints_.size();
    if (field->type != wire::Type::delimited || !take_list(field->bytes, dtype)) return false;
    steps_.push_back(strings_.size() + floats_.size() + ints_.size() - before);
  }
  return !fields.malformed();
}

ExampleWalker::Begin ExampleWalker::here() const {
  return {{strings_.size(), floats_.size(), ints_.size()}, steps_.size()};
}

// Makes the features point to their values. Must be called last, because a vector moves its values when it grows.
void ExampleWalker::point_to_values() {
  begins_.push_back(here());
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const auto view = [&](const auto& values, std::size_t kind) {
      return std::span(values).subspan(begins_[i].values[kind], begins_[i + 1].values[kind] - begins_[i].values[kind]);
    };
    WalkedFeature& feature = features_[i];
    feature.values = view(strings_, 0);
    if (feature.dtype == Dtype::float32) feature.values = view(floats_, 1);
    if (feature.dtype == Dtype::int64) feature.values = view(ints_, 2);
    feature.steps = std::span(steps_).subspan(begins_[i].steps, begins_[i + 1].steps - begins_[i].steps);
  }
}

}  // namespace carrack::data
