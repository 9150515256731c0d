// interop_records: our reading and writing of records, for a test against TensorFlow's.
//   read FILE                  prints each record in hexadecimal, a line each, and what is corrupt
//   copy FROM TO COMPRESSION   writes the records of one file into another
//   parse FILE FEATURE...      prints the values of each tf.Example, features separated by ` | `, or what does not
//   match copy_examples FROM TO FEATURE...   writes the features of each tf.Example into another file
// FEATURE is NAME:KIND:COUNT. KIND is `bytes`, printed in hexadecimal, `float`, printed as its bits, or `int64`.
#include <bit>
#include <cstdio>
#include <string>
#include <string_view>

#include "dataloader/error.h"
#include "dataloader/records/example.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/file_storage.h"

namespace carrack::data {
namespace {

std::string printed(std::string_view value) {
  std::string digits = "x";
  for (const char byte : value) {
    digits += "0123456789abcdef"[(byte >> 4) & 15];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}
std::string printed(float value) {
  return std::to_string(std::bit_cast<std::uint32_t>(value));
}
std::string printed(std::int64_t value) {
  return std::to_string(value);
}

// Calls with each record of the file; prints what is corrupt.
template <typename Use>
void read(Storage& storage, const std::string& url, const Use& use) {
  const auto stat = storage.stat(url);
  if (!stat) throw Error(url + ": there is no such file");
  const StoredObject file(storage, url, *stat);
  RecordReader reader(file);
  for (;;) {
    const auto next = reader.next();
    if (std::holds_alternative<EndOfFile>(next)) return;
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) std::printf("corrupt %s\n", text(*corrupt).c_str());
    if (const Records* chunk = std::get_if<Records>(&next))
      for (const Record& record : chunk->records) use(record.data);
  }
}

std::vector<Feature> features_from(std::span<char*> arguments) {
  std::vector<Feature> features;
  for (const std::string argument : arguments) {
    const std::size_t kind = argument.find(':');
    const std::size_t count = argument.rfind(':');
    const std::string named = argument.substr(kind + 1, count - kind - 1);
    const Dtype dtype = named == "bytes" ? Dtype::bytes : named == "float" ? Dtype::float32 : Dtype::int64;
    features.push_back({argument.substr(0, kind), dtype, std::stoul(argument.substr(count + 1))});
  }
  return features;
}

std::string printed(const std::vector<Column>& columns) {
  std::string line;
  for (const Column& column : columns) {
    if (&column != columns.data()) line += " |";
    const auto print = [&](const auto& values) {
      for (const auto& value : values) line += " " + printed(value);
    };
    std::visit(print, column);
  }
  return line;
}

void copy(Storage& storage, const std::string& from, const std::string& to, Compression compression) {
  RecordWriter writer(storage.create(to, {}), compression);
  read(storage, from, [&](std::span<const std::byte> record) { writer.write(record); });
  writer.commit();
}

void parse(Storage& storage, const std::string& url, const std::vector<Feature>& features) {
  ExampleParser parser(features);
  std::vector<Column> columns = parser.columns(1);
  read(storage, url, [&](std::span<const std::byte> record) {
    const auto mismatch = parser.parse(record, 0, columns);
    std::printf("%s\n", mismatch ? ("mismatch " + mismatch->what).c_str() : printed(columns).c_str());
  });
}

void copy_examples(Storage& storage, const std::string& from, const std::string& to,
                   const std::vector<Feature>& features) {
  ExampleParser parser(features);
  std::vector<Column> columns = parser.columns(1);
  RecordWriter writer(storage.create(to, {}));
  read(storage, from, [&](std::span<const std::byte> record) {
    if (parser.parse(record, 0, columns)) return;
    std::vector<NamedValues> values;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const auto name = [&]<typename Value>(const std::vector<Value>& column) {
        values.push_back({features[i].name, std::span<const Value>(column)});
      };
      std::visit(name, columns[i]);
    }
    writer.write(example_of(values));
  });
  writer.commit();
}

bool run(std::string_view what, std::span<char*> arguments) {
  FileStorage storage(0);
  if (what == "read" && arguments.size() == 1) {
    read(storage, arguments[0], [](auto record) { std::printf("%s\n", printed(wire::text_of(record)).c_str()); });
  } else if (what == "copy" && arguments.size() == 3) {
    copy(storage, arguments[0], arguments[1], compression_from(arguments[2]));
  } else if (what == "parse" && arguments.size() > 1) {
    parse(storage, arguments[0], features_from(arguments.subspan(1)));
  } else if (what == "copy_examples" && arguments.size() > 2) {
    copy_examples(storage, arguments[0], arguments[1], features_from(arguments.subspan(2)));
  } else {
    return false;
  }
  return true;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  if (argc > 1 && carrack::data::run(argv[1], std::span(argv + 2, static_cast<std::size_t>(argc - 2)))) return 0;
  std::fputs(
      "usage: interop_records read FILE | copy FROM TO COMPRESSION | parse FILE FEATURE... | copy_examples FROM TO "
      "FEATURE...\n",
      stderr);
  return 2;
}
