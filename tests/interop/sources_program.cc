// interop_sources: prints what our readers of CSV, JSON lines and numpy arrays read, for comparison with other
// programs.
//   csv FILE DELIMITER   prints each row's columns s, f and i, which the file does not name
//   jsonl FILE           likewise of JSON lines
//   npy FILE...          prints each array's type and shape, and all values as floats and, if whole, as integers
// Values are printed a row a line: bytes in hexadecimal, floats as their bits; `fault` stands for a row that cannot be
// read.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/json_lines_reader.h"
#include "dataloader/sources/npy.h"
#include "dataloader/sources/npz.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/interop/printed.h"

namespace carrack::data {
namespace {

const std::vector<Feature> sfi = {{"s", Dtype::bytes}, {"f", Dtype::float32}, {"i", Dtype::int64}};

using data::printed;  // of bytes
std::string printed(float value) {
  return value != value ? "nan" : std::to_string(std::bit_cast<std::uint32_t>(value));
}
std::string printed(std::int64_t value) {
  return std::to_string(value);
}

void print(const TextRows& rows) {
  for (std::size_t row = 0; row < rows.count; ++row) {
    std::string line;
    for (const Column& column : rows.columns)
      line += " " + std::visit([&](const auto& values) { return printed(values[row]); }, column.values);
    std::puts(line.c_str() + 1);
  }
}

void print(RowReader& reader) {
  for (;;) {
    const auto next = reader.next(100);
    if (std::holds_alternative<EndOfFile>(next)) return;
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
      std::puts("fault");
      std::fprintf(stderr, "%s\n", text(*corrupt).c_str());
    } else {
      print(std::get<TextRows>(next));
    }
  }
}

template <typename Kind>
Kind good(std::variant<Kind, Corrupt> found) {
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) throw Error(text(*corrupt));
  return std::get<Kind>(std::move(found));
}

// By ranges of rows.
void print(const ArrayRows& array) {
  constexpr std::size_t most = 7;
  std::printf("%s", name_of(array.type().number));
  for (const std::uint64_t length : array.shape()) std::printf(" %s", std::to_string(length).c_str());
  for (const Dtype dtype : {Dtype::float32, Dtype::int64}) {
    if (dtype == Dtype::int64 && !is_whole(array.type().number)) continue;
    std::string line;
    for (std::uint64_t row = 0; row < array.rows(); row += most) {
      const Column column = good(array.read(row, std::min<std::uint64_t>(most, array.rows() - row), dtype));
      const auto add = [&](const auto& values) {
        for (const auto& value : values) line += " " + printed(value);
      };
      std::visit(add, column.values);
    }
    std::printf("\n%s", line.empty() ? "" : line.c_str() + 1);
  }
  std::puts("");
}

void print_arrays(Storage& storage, const std::string& url) {
  auto file = std::make_unique<const StoredObject>(storage, url, storage.stat(url).value());
  if (!url.ends_with(".npz")) return print(good(open_npy(std::move(file))));
  const Npz archive = good(Npz::open(*file));
  for (const std::string& name : archive.names()) print(good(archive.array(name)));
}

bool run(std::string_view what, std::span<char*> arguments) {
  if (arguments.empty()) return false;
  FileStorage storage(0);
  if (what == "npy") {
    for (const char* url : arguments) print_arrays(storage, url);
    return true;
  }
  const StoredObject file(storage, arguments[0], storage.stat(arguments[0]).value());
  if (what == "csv" && arguments.size() == 2) {
    CsvReader reader(file, sfi, {.delimiter = arguments[1][0], .columns = {{"s", "f", "i"}}});
    print(reader);
    return true;
  }
  if (what == "jsonl" && arguments.size() == 1) {
    JsonLinesReader reader(file, sfi);
    print(reader);
    return true;
  }
  return false;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  if (argc > 1 && carrack::data::run(argv[1], std::span(argv + 2, static_cast<std::size_t>(argc - 2)))) return 0;
  std::fputs("usage: interop_sources csv FILE DELIMITER | jsonl FILE | npy FILE...\n", stderr);
  return 2;
}
