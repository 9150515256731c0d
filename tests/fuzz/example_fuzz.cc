// Any bytes as a tf.Example and as a tf.SequenceExample, asked for in every shape: values or a mismatch that lies
// within them, the same whatever the parser has seen before; and values that were found are found again when they are
// written anew. Each feature that is found without being asked for gives the same values when it is.
#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/records/example_parser.h"
#include "dataloader/records/example_walk.h"
#include "dataloader/records/example_writer.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

struct Outcome {
  std::optional<Mismatch> mismatch;
  std::vector<Column> columns;
};

// As the second of two rows; the first is left out.
Outcome parse(ExampleParser& parser, std::span<const std::byte> record) {
  Outcome outcome{{}, parser.columns(2)};
  outcome.mismatch = parser.parse(record, 1, outcome.columns);
  if (!outcome.mismatch) parser.pad(outcome.columns);
  return outcome;
}

// Bit by bit: a NaN is itself too.
bool same(const Values& left, const Values& right) {
  const auto* floats = std::get_if<LargeVector<float>>(&left);
  if (floats == nullptr) return left == right;
  const auto& others = std::get<LargeVector<float>>(right);
  return floats->size() == others.size() &&
         (floats->empty() || std::memcmp(floats->data(), others.data(), floats->size() * sizeof(float)) == 0);
}

bool same(const std::vector<Column>& left, const std::vector<Column>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool as_long = left[i].splits == right[i].splits && left[i].longest == right[i].longest;
    if (!as_long || !same(left[i].values, right[i].values)) return false;
  }
  return true;
}

std::size_t size_of(const Values& values) {
  return std::visit([](const auto& kind) { return kind.size(); }, values);
}

void must_be_rows(const Feature& asked, const Column& column) {
  std::size_t size = 2;
  for (const std::vector<std::size_t>& splits : column.splits) {
    must(splits.size() == size + 1 && splits.front() == 0, "splits say where each row begins");
    for (std::size_t i = 0; i < size; ++i) must(splits[i] <= splits[i + 1], "rows lie behind each other");
    size = splits.back();
  }
  if (column.longest) size = 2 * *column.longest;
  must(size_of(column.values) == size * asked.count, "the rows are all of the values");
}

Outcome check(const std::vector<Feature>& asked, std::span<const std::byte> record) {
  ExampleParser parser(asked);
  Outcome first = parse(parser, record);
  const Outcome second = parse(parser, record);
  must(first.mismatch.has_value() == second.mismatch.has_value(), "what was seen before changes nothing");
  if (first.mismatch) {
    must(first.mismatch->offset <= record.size(), "a mismatch lies within the record");
    must(first.mismatch->message == second.mismatch->message, "a mismatch says what is wrong");
    return first;
  }
  must(same(first.columns, second.columns), "what was seen before changes nothing");
  for (std::size_t i = 0; i < asked.size(); ++i) must_be_rows(asked[i], first.columns[i]);
  return first;
}

// The values from `begin` to `end`.
ValuesView view(const Values& values, std::size_t begin, std::size_t end) {
  return std::visit([&](const auto& kind) -> ValuesView { return std::span(kind).subspan(begin, end - begin); },
                    values);
}

void must_be_found_again(const std::vector<Feature>& asked, const std::vector<Column>& columns,
                         const std::vector<std::byte>& written) {
  const Outcome again = check(asked, written);
  must(!again.mismatch && same(columns, again.columns), "what is written is found again");
}

void check_example(Shape shape, std::span<const std::byte> record) {
  std::vector<Feature> asked = {{"i", Dtype::int64, 2}, {"f", Dtype::float32, 2}, {"s", Dtype::bytes, 1}};
  for (Feature& feature : asked) feature.shape = shape;
  const Outcome found = check(asked, record);
  if (found.mismatch || shape == Shape::padded) return;
  std::vector<NamedValues> values;
  for (std::size_t i = asked.size(); i-- > 0;) {
    const std::size_t size = size_of(found.columns[i].values);
    values.push_back({asked[i].name, view(found.columns[i].values, shape == Shape::item ? size / 2 : 0, size)});
  }
  must_be_found_again(asked, found.columns, example_of(values));
}

void check_sequence(Shape shape, std::span<const std::byte> record) {
  std::vector<Feature> asked;
  for (const auto& [name, dtype] : {std::pair{"i", Dtype::int64}, {"f", Dtype::float32}, {"s", Dtype::bytes}})
    asked.push_back(
        {.name = name, .dtype = dtype, .shape = shape, .part = Part::feature_lists, .may_be_missing = true});
  const Outcome found = check(asked, record);
  if (found.mismatch) return;
  std::vector<std::vector<ValuesView>> steps;
  std::vector<NamedSteps> lists;
  for (const Column& column : found.columns) {
    std::vector<ValuesView>& all = steps.emplace_back();
    for (std::size_t step = 0; step < column.splits[0].back(); ++step) {
      const bool in_lists = column.splits.size() > 1;
      all.push_back(view(column.values, in_lists ? column.splits[1][step] : step,
                         in_lists ? column.splits[1][step + 1] : step + 1));
    }
  }
  for (std::size_t i = 0; i < asked.size(); ++i) lists.push_back({asked[i].name, steps[i]});
  must_be_found_again(asked, found.columns, sequence_example_of({}, lists));
}

void check_other_ways(std::span<const std::byte> record) {
  check({{.name = "i", .dtype = Dtype::int64, .count = 2, .default_values = LargeVector<std::int64_t>{1, 2}},
         {.name = "s", .dtype = Dtype::bytes, .default_values = LargeVector<std::string_view>{"none"}}},
        record);
  for (const Raw raw : {Raw::uint8, Raw::int16, Raw::float16, Raw::bfloat16, Raw::float64})
    check({{.name = "s", .shape = Shape::list, .raw = raw}}, record);
  for (const auto kind : {Partition::Kind::lengths, Partition::Kind::splits})
    check({{.name = "f", .shape = Shape::lists, .partitions = {{"j", kind}, {"i", kind}}}}, record);
}

// Values that lie behind each other, and not in a vector.
Values copy(const ValuesView& values) {
  return std::visit(
      [](const auto& kind) -> Values {
        return LargeVector<typename std::decay_t<decltype(kind)>::value_type>(kind.begin(), kind.end());
      },
      values);
}

void check_walk(std::span<const std::byte> record) {
  constexpr std::size_t most_asked = 20;
  ExampleWalker walker;
  if (walker.walk(record) == ExampleWalker::Message::other) return;
  for (const WalkedFeature& feature : walker.features().first(std::min(walker.features().size(), most_asked))) {
    if (!feature.dtype) continue;
    const bool is_list = feature.part == Part::feature_lists;
    const Feature asked{.name = std::string(feature.name),
                        .dtype = *feature.dtype,
                        .shape = is_list ? Shape::lists : Shape::list,
                        .part = feature.part};
    const Outcome found = check({asked}, record);
    must(!found.mismatch, "what is found can be asked for");
    must(same(found.columns[0].values, copy(feature.values)), "what is found is what is given when it is asked for");
    if (is_list) must(feature.steps.size() == found.columns[0].splits[0][2], "and has as many steps");
  }
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto record = std::as_bytes(std::span(data, size));
  for (const Shape shape : {Shape::item, Shape::list, Shape::padded}) check_example(shape, record);
  for (const Shape shape : {Shape::list, Shape::lists}) check_sequence(shape, record);
  check_other_ways(record);
  check_walk(record);
  return 0;
}
