// bench_examples WHAT KIND FILE...: tf.Examples of one kind into the columns of batches, from TFRecords on local disk.
//   make criteo40|sensor64x8 COUNT FILE...   writes them, COUNT records each
//   parse KIND ROWS FILE...     prints how many records become batches of ROWS in a second of CPU time, all checksums
//                               checked, by one thread
//   checksum KIND ROWS FILE...  prints sums over all values, by which the peer shows that it delivers the same
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/records/example_parser.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/storage/file/file_storage.h"

namespace carrack::data {
namespace {

constexpr double measured_for_s = 1;

// criteo40 is a click: label, 13 numbers, 26 categories hashed to 26 bits. sensor64x8 is 64 sensors, each with 8
// samples.
std::vector<Feature> asked_of(std::string_view kind) {
  std::vector<Feature> asked;
  if (kind == "criteo40") {
    asked.push_back({"label", Dtype::int64, 1});
    for (int i = 1; i <= 13; ++i) asked.push_back({"I" + std::to_string(i), Dtype::float32, 1});
    for (int i = 1; i <= 26; ++i) asked.push_back({"C" + std::to_string(i), Dtype::int64, 1});
  } else {
    for (int i = 0; i < 64; ++i) asked.push_back({"sensor" + std::to_string(i), Dtype::float32, 8});
  }
  return asked;
}

struct Draw {
  std::uint64_t state = 1;
  std::uint64_t operator()() { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 32; }
};

std::vector<std::byte> drawn(const std::vector<Feature>& asked, Draw& draw) {
  std::vector<std::vector<float>> floats(asked.size());
  std::vector<std::int64_t> ints(asked.size());
  std::vector<NamedValues> values;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].dtype == Dtype::int64) {
      ints[i] = static_cast<std::int64_t>(draw() % (asked[i].name == "label" ? 2 : 40'000'000));
      values.push_back({asked[i].name, std::span<const std::int64_t>(&ints[i], 1)});
    } else {
      for (std::size_t j = 0; j < asked[i].count; ++j) floats[i].push_back(static_cast<float>(draw()) * 0x1p-32f);
      values.push_back({asked[i].name, std::span<const float>(floats[i])});
    }
  }
  return example_of(values);
}

void make(Storage& storage, std::string_view kind, std::size_t count, std::span<char*> urls) {
  const std::vector<Feature> asked = asked_of(kind);
  Draw draw;
  for (const char* url : urls) {
    Bytes file;
    for (std::size_t i = 0; i < count; ++i) frame::append(file, drawn(asked, draw));
    const auto writer = storage.create(url, {});
    writer->write(file);
    writer->commit();
  }
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_examples: %s\n", what.c_str());
  std::exit(1);
}

// Calls with the columns of each batch, the same ones each time; returns the number of records.
template <typename Use>
std::uint64_t batches(Storage& storage, const std::vector<Feature>& asked, std::size_t rows, std::span<char*> urls,
                      const Use& use) {
  ExampleParser parser(asked);
  std::vector<Column> columns = parser.columns(rows);
  std::uint64_t records = 0;
  for (const char* url : urls) {
    const std::optional<ObjectStat> stat = storage.stat(url);
    if (!stat) fail(std::string(url) + ": there is no such file");
    const StoredObject file(storage, url, *stat);
    RecordReader reader(file);
    for (;;) {
      const auto next = reader.next();
      if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) fail(text(*corrupt));
      const Records* chunk = std::get_if<Records>(&next);
      if (chunk == nullptr) break;
      for (const Record& record : chunk->records) {
        if (const auto mismatch = parser.parse(record.data, records % rows, columns)) fail(mismatch->message);
        if (++records % rows != 0) continue;
        use(columns);
      }
    }
  }
  if (records % rows != 0) fail("the records are no whole batches");
  return records;
}

double records_per_second(Storage& storage, const std::vector<Feature>& asked, std::size_t rows,
                          std::span<char*> urls) {
  const std::clock_t start = std::clock();
  double passed_s = 0;
  std::uint64_t records = 0;
  do {
    records += batches(storage, asked, rows, urls, [](const auto&) {});
    passed_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (passed_s < measured_for_s);
  return static_cast<double>(records) / passed_s;
}

std::uint64_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
std::uint64_t bits(std::string_view) {
  return 0;
}

// Each value counts with the number of its feature, so that no two are taken for each other.
std::string checksum(Storage& storage, const std::vector<Feature>& asked, std::size_t rows, std::span<char*> urls) {
  std::uint64_t sum = 0;
  const auto add = [&](const std::vector<Column>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto add_bits = [&](const auto& values) {
        for (const auto& value : values) sum += (i + 1) * bits(value);
      };
      std::visit(add_bits, columns[i].values);
    }
  };
  const std::uint64_t records = batches(storage, asked, rows, urls, add);
  return std::to_string(records) + " " + std::to_string(sum);
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  using namespace carrack::data;
  FileStorage storage(0);
  const std::string_view what = argc > 4 ? argv[1] : "";
  const std::span<char*> urls = std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 4 ? 4 : 1);
  if (what == "make") {
    make(storage, argv[2], std::stoul(argv[3]), urls);
  } else if (what == "parse") {
    std::printf("%.0f\n", records_per_second(storage, asked_of(argv[2]), std::stoul(argv[3]), urls));
  } else if (what == "checksum") {
    std::puts(checksum(storage, asked_of(argv[2]), std::stoul(argv[3]), urls).c_str());
  } else {
    std::fputs("usage: bench_examples make KIND COUNT FILE... | parse KIND ROWS FILE... | checksum KIND ROWS FILE...\n",
               stderr);
    return 2;
  }
  return 0;
}
