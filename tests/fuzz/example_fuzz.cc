// Any bytes as a tf.Example: values or a mismatch that lies within it, the same whatever the parser has seen before;
// and values that were found are found again when they are written anew.
#include <array>
#include <cstring>

#include "dataloader/records/example.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

struct Outcome {
  std::optional<Mismatch> mismatch;
  std::vector<Column> columns;
};

Outcome parse(ExampleParser& parser, std::span<const std::byte> record) {
  Outcome outcome{{}, parser.columns(1)};
  outcome.mismatch = parser.parse(record, 0, outcome.columns);
  return outcome;
}

// Bit by bit: a NaN is itself too.
bool same(const std::vector<Column>& left, const std::vector<Column>& right) {
  const auto& floats = std::get<std::vector<float>>(left[1]);
  const auto& others = std::get<std::vector<float>>(right[1]);
  return left[0] == right[0] && left[2] == right[2] &&
         std::memcmp(floats.data(), others.data(), floats.size() * sizeof(float)) == 0;
}

void check(std::span<const std::byte> record) {
  ExampleParser parser({{"i", Dtype::int64, 2}, {"f", Dtype::float32, 2}, {"s", Dtype::bytes, 1}});
  const Outcome first = parse(parser, record);
  const Outcome second = parse(parser, record);
  must(first.mismatch.has_value() == second.mismatch.has_value(), "what was seen before changes nothing");
  if (first.mismatch) {
    must(first.mismatch->offset <= record.size(), "a mismatch lies within the record");
    must(!first.mismatch->what.empty(), "a mismatch says what is wrong");
    return;
  }
  must(same(first.columns, second.columns), "what was seen before changes nothing");
  const std::array<NamedValues, 3> values = {{{"s", std::span<const std::string_view>(std::get<0>(first.columns[2]))},
                                              {"f", std::span<const float>(std::get<1>(first.columns[1]))},
                                              {"i", std::span<const std::int64_t>(std::get<2>(first.columns[0]))}}};
  const std::vector<std::byte> written = example_of(values);
  const Outcome again = parse(parser, written);
  must(!again.mismatch && same(first.columns, again.columns), "what is written is found again");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  carrack::data::check(std::as_bytes(std::span(data, size)));
  return 0;
}
