// bench_records WHAT FILE...: TFRecord files of one length of record, on local disk.
//   make LENGTH COUNT FILE...   writes them, COUNT records each
//   read FILE...                prints how many records a second are read, all checksums checked, by one thread
//   checksum FILE...            prints a sum over all records, by which the peer shows that it delivers the same
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/records/little_endian.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/storage/file_storage.h"

namespace carrack::data {
namespace {

constexpr auto measured_for = std::chrono::seconds(1);

void make(Storage& storage, std::size_t length, std::size_t count, std::span<char*> urls) {
  std::uint64_t state = 1;
  std::vector<std::byte> record(length);
  for (const char* url : urls) {
    RecordWriter writer(storage.create(url, {}));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::byte& byte : record) byte = static_cast<std::byte>((state = state * 6364136223846793005u + 1) >> 56);
      writer.write(record);
    }
    writer.commit();
  }
}

struct Total {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t first_words = 0;  // the sum of each record's first eight bytes as a number

  void add(const Records& chunk) {
    records += chunk.records.size();
    for (const Record& record : chunk.records) {
      bytes += record.data.size();
      first_words += number_at<std::uint64_t>(record.data.data());
    }
  }
};

Total read(Storage& storage, std::span<char*> urls) {
  Total total;
  for (const char* url : urls) {
    const StoredObject file(storage, url, storage.stat(url).value());
    RecordReader reader(file);
    for (;;) {
      const auto next = reader.next();
      if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
        std::fprintf(stderr, "bench_records: %s\n", text(*corrupt).c_str());
        std::exit(1);
      }
      const Records* chunk = std::get_if<Records>(&next);
      if (chunk == nullptr) break;
      total.add(*chunk);
    }
  }
  return total;
}

double records_per_second(Storage& storage, std::span<char*> urls) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::chrono::duration<double> passed{};
  std::uint64_t records = 0;
  do {
    records += read(storage, urls).records;
    passed = Clock::now() - start;
  } while (passed < measured_for);
  return static_cast<double>(records) / passed.count();
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  using namespace carrack::data;
  FileStorage storage(0);
  const std::string_view what = argc > 2 ? argv[1] : "";
  const std::span<char*> urls = std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 2 ? 2 : 1);
  if (what == "make" && argc > 4) {
    make(storage, std::stoul(argv[2]), std::stoul(argv[3]), urls.subspan(2));
  } else if (what == "read") {
    std::printf("%.0f\n", records_per_second(storage, urls));
  } else if (what == "checksum") {
    const Total total = read(storage, urls);
    std::printf("%llu %llu %llu\n", static_cast<unsigned long long>(total.records),
                static_cast<unsigned long long>(total.bytes), static_cast<unsigned long long>(total.first_words));
  } else {
    std::fputs("usage: bench_records make LENGTH COUNT FILE... | read FILE... | checksum FILE...\n", stderr);
    return 2;
  }
  return 0;
}
