// interop_examples: our reading and writing of tf.Examples and tf.SequenceExamples, for a test against TensorFlow's.
//   parse ASKED ROWS FILE     prints the columns of each ROWS good records of a file, and `mismatch` for each other one
//   copy ASKED FROM TO        writes the features of the good records into another file
// ASKED is `examples` or `sequences`: what asked_of() says here and examples_tensorflow.py says to TensorFlow.
// A column is printed as NAME: VALUE... / SPLIT..., bytes in hexadecimal and floats as their bits, or, if it is padded,
// as NAME: VALUE... / longest N.
#include <bit>
#include <cstdio>
#include <string>
#include <string_view>

#include "dataloader/error.h"
#include "dataloader/records/example_parser.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/interop/printed.h"

namespace carrack::data {
namespace {

constexpr Dtype bytes = Dtype::bytes, float32 = Dtype::float32, int64 = Dtype::int64;

std::vector<Feature> examples() {
  return {
      {.name = "i", .dtype = int64, .count = 2, .default_values = LargeVector<std::int64_t>{7, -8}},
      {.name = "f", .dtype = float32, .count = 3},
      {.name = "s", .dtype = bytes, .default_values = LargeVector<std::string_view>{"none"}},
      {.name = "vi", .dtype = int64, .shape = Shape::list},
      {.name = "vf", .dtype = float32, .shape = Shape::list},
      {.name = "vs", .dtype = bytes, .shape = Shape::list},
      {.name = "qi",
       .dtype = int64,
       .count = 2,
       .shape = Shape::padded,
       .default_values = LargeVector<std::int64_t>{-1}},
      {.name = "qf", .dtype = float32, .count = 2, .shape = Shape::padded},
      {.name = "qs", .dtype = bytes, .shape = Shape::padded, .default_values = LargeVector<std::string_view>{"-"}},
      {.name = "li", .dtype = int64, .shape = Shape::lists, .partitions = {{"lengths"}}},
      {.name = "ls",
       .dtype = bytes,
       .shape = Shape::lists,
       .partitions = {{"outer", Partition::Kind::splits}, {"inner", Partition::Kind::splits}}},
      {.name = "r", .dtype = int64, .count = 4, .raw = Raw::int16},
  };
}

std::vector<Feature> sequences() {
  std::vector<Feature> asked = {
      {.name = "i", .dtype = int64, .count = 2},
      {.name = "vs", .dtype = bytes, .shape = Shape::list},
      {.name = "i", .dtype = int64, .count = 2, .shape = Shape::padded},
      {.name = "f", .dtype = float32, .shape = Shape::padded, .may_be_missing = true},
      {.name = "s", .dtype = bytes, .count = 2, .shape = Shape::padded, .may_be_missing = true},
      {.name = "vi", .dtype = int64, .shape = Shape::lists, .may_be_missing = true},
      {.name = "vf", .dtype = float32, .shape = Shape::lists, .may_be_missing = true},
      {.name = "vs", .dtype = bytes, .shape = Shape::lists, .may_be_missing = true},
  };
  for (Feature& feature : std::span(asked).subspan(2)) feature.part = Part::feature_lists;
  return asked;
}

std::vector<Feature> asked_of(std::string_view name) {
  return name == "examples" ? examples() : sequences();
}

// All that a record holds of these features, whatever it is.
std::vector<Feature> as_lists(const std::vector<Feature>& asked) {
  std::vector<Feature> lists;
  const auto add = [&](const std::string& name, Dtype dtype, Part part) {
    const bool in_steps = part == Part::feature_lists;
    lists.push_back({.name = name, .dtype = dtype, .shape = in_steps ? Shape::lists : Shape::list, .part = part});
    lists.back().may_be_missing = in_steps;
  };
  for (const Feature& feature : asked) {
    add(feature.name, feature.raw ? bytes : feature.dtype, feature.part);
    for (const Partition& partition : feature.partitions) add(partition.feature, int64, Part::features);
  }
  return lists;
}

using data::printed;  // of bytes
std::string printed(float value) {
  return std::to_string(std::bit_cast<std::uint32_t>(value));
}
std::string printed(auto value) {
  return std::to_string(value);
}

void print(const Feature& asked, const Column& column) {
  std::string line = asked.name + ":";
  const auto add = [&](const auto& values) {
    for (const auto& value : values) line += " " + printed(value);
  };
  std::visit(add, column.values);
  if (column.longest) line += " / longest " + printed(*column.longest);
  for (const auto& splits : column.splits) {
    if (column.longest) break;
    line += " /";
    add(splits);
  }
  std::printf("%s\n", line.c_str());
}

// The records of a file, which hold their values.
std::vector<std::string> records_of(Storage& storage, const std::string& url) {
  const StoredObject file(storage, url, storage.stat(url).value());
  RecordReader reader(file);
  std::vector<std::string> records;
  for (;;) {
    const auto next = reader.next();
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) throw Error(text(*corrupt));
    const Records* chunk = std::get_if<Records>(&next);
    if (chunk == nullptr) return records;
    for (const Record& record : chunk->records)
      records.emplace_back(reinterpret_cast<const char*>(record.data.data()), record.data.size());
  }
}

std::span<const std::byte> bytes_of(const std::string& record) {
  return std::as_bytes(std::span(record));
}

void parse(Storage& storage, const std::vector<Feature>& asked, std::size_t rows, const std::string& url) {
  ExampleParser parser(asked);
  std::vector<Column> columns = parser.columns(rows);
  std::size_t row = 0;
  const auto print_rows = [&] {
    parser.pad(columns);
    for (std::size_t i = 0; i < asked.size(); ++i) print(asked[i], columns[i]);
    columns = parser.columns(rows);
    row = 0;
  };
  const std::vector<std::string> records = records_of(storage, url);
  for (const std::string& record : records) {
    if (parser.parse(bytes_of(record), row, columns))
      std::puts("mismatch");
    else if (++row == rows)
      print_rows();
  }
}

std::vector<std::byte> written(const std::vector<Feature>& lists, const std::vector<Column>& columns) {
  std::vector<NamedValues> features;
  std::vector<NamedSteps> by_step;
  std::vector<std::vector<ValuesView>> steps(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto view = [&](std::size_t begin, std::size_t end) {
      const auto part = [&](const auto& all) -> ValuesView { return std::span(all).subspan(begin, end - begin); };
      return std::visit(part, columns[i].values);
    };
    const auto& splits = columns[i].splits;
    if (lists[i].part == Part::features) {
      if (splits[0][1] > 0) features.push_back({lists[i].name, view(0, splits[0][1])});
      continue;
    }
    for (std::size_t step = 0; step < splits[0][1]; ++step)
      steps[i].push_back(view(splits[1][step], splits[1][step + 1]));
    by_step.push_back({lists[i].name, steps[i]});
  }
  return by_step.empty() ? example_of(features) : sequence_example_of(features, by_step);
}

void copy(Storage& storage, const std::vector<Feature>& asked, const std::string& from, const std::string& to) {
  ExampleParser good(asked);
  const std::vector<Feature> lists = as_lists(asked);
  ExampleParser parser(lists);
  std::vector<Column> seen = good.columns(1), columns = parser.columns(1);
  Bytes file;
  for (const std::string& record : records_of(storage, from)) {
    if (good.parse(bytes_of(record), 0, seen) || parser.parse(bytes_of(record), 0, columns)) continue;
    frame::append(file, written(lists, columns));
  }
  const auto writer = storage.create(to, {});
  writer->write(file);
  writer->commit();
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  using namespace carrack::data;
  FileStorage storage(0);
  const std::string_view what = argc == 5 ? argv[1] : "";
  if (what == "parse") {
    parse(storage, asked_of(argv[2]), std::stoul(argv[3]), argv[4]);
  } else if (what == "copy") {
    copy(storage, asked_of(argv[2]), argv[3], argv[4]);
  } else {
    std::fputs("usage: interop_examples parse ASKED ROWS FILE | copy ASKED FROM TO\n", stderr);
    return 2;
  }
  return 0;
}
