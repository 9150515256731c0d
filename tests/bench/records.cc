// bench_records WHAT FILE...: TFRecord files of one length of record, on local disk.
//   make LENGTH COUNT FILE...   writes them, COUNT records each
//   gzip LENGTH COUNT FILE...   the same of words and numbers in turn, which are packed to less than half, as GZIP
//   read THREADS FILE...        prints how many records a second are read, all checksums checked, a file a thread
//   bytes FILE...               prints how many bytes a second that is, by one thread
//   bare FILE...                prints how many bytes a second a loop over read() has, which looks at none
//   checksum FILE...            prints a sum over all records, by which the peer shows that it delivers the same
// Behind each rate stands what it took: cpu_s_a_gb=SECONDS peak_mb=MEMORY.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "dataloader/records/little_endian.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/storage/file/file_storage.h"

namespace carrack::data {
namespace {

constexpr auto measured_for = std::chrono::seconds(1);

class Numbers {
 public:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(next() % end); }
  // Smaller ones more often, as words are used and as measured values lie.
  std::uint32_t mostly_small(std::uint32_t end) { return below(below(below(end) + 1) + 1); }
  std::uint64_t next() { return (state_ = state_ * 6364136223846793005u + 1) >> 32; }

 private:
  std::uint64_t state_ = 1;
};

void fill_at_random(std::span<std::byte> record, Numbers& numbers) {
  for (std::byte& byte : record) byte = static_cast<std::byte>(numbers.next() >> 24);
}

std::vector<std::string> some_words() {
  Numbers numbers;
  std::vector<std::string> words(4000);
  for (std::string& word : words) {
    for (std::uint32_t left = 2 + numbers.below(8); left > 0; --left)
      word += static_cast<char>('a' + numbers.mostly_small(26));
    word += ' ';
  }
  return words;
}

// 64 bytes of words, 64 bytes of floats in hundredths, and so on.
void fill_with_words_and_floats(std::span<std::byte> record, Numbers& numbers) {
  static const std::vector<std::string> words = some_words();
  std::string text;
  for (std::size_t at = 0; at < record.size(); at += 64) {
    const std::span<std::byte> part = record.subspan(at, std::min<std::size_t>(64, record.size() - at));
    if (at % 128 == 0) {
      while (text.size() < part.size()) text += words[numbers.mostly_small(4000)];
      std::memcpy(part.data(), text.data(), part.size());
      text.erase(0, part.size());
    } else {
      std::array<float, 16> floats;
      for (float& one : floats) one = static_cast<float>(numbers.mostly_small(1000)) / 100;
      std::memcpy(part.data(), floats.data(), part.size());
    }
  }
}

using Fill = void (*)(std::span<std::byte>, Numbers&);

void make(Storage& storage, std::span<char*> given, Compression compression, Fill fill) {
  Numbers numbers;
  std::vector<std::byte> record(std::stoul(given[0]));
  const std::size_t count = std::stoul(given[1]);
  for (const char* url : given.subspan(2)) {
    RecordWriter writer(storage.create(url, {}), compression);
    for (std::size_t i = 0; i < count; ++i) {
      fill(record, numbers);
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
  void add(const Total& other) {
    records += other.records;
    bytes += other.bytes;
    first_words += other.first_words;
  }
};

Total read(Storage& storage, const char* url) {
  Total total;
  const StoredObject file(storage, url, storage.stat(url).value());
  RecordReader reader(file);
  for (;;) {
    const auto next = reader.next();
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
      std::fprintf(stderr, "bench_records: %s\n", text(*corrupt).c_str());
      std::exit(1);
    }
    const Records* chunk = std::get_if<Records>(&next);
    if (chunk == nullptr) return total;
    total.add(*chunk);
  }
}

Total read(Storage& storage, std::span<char*> urls) {
  Total total;
  for (const char* url : urls) total.add(read(storage, url));
  return total;
}

Total read_by(std::size_t threads, Storage& storage, std::span<char*> urls) {
  std::vector<Total> totals(threads);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](Total& own) {
    for (std::size_t file = next++; file < urls.size(); file = next++) own.add(read(storage, urls[file]));
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&, i] { work(totals[i]); });
    work(totals[0]);
  }
  for (std::size_t i = 1; i < threads; ++i) totals[0].add(totals[i]);
  return totals[0];
}

Total read_bare(std::span<char*> paths) {
  constexpr std::size_t piece = std::size_t{256} << 10;  // as the reader's; none of 64 KiB to 4 MiB is faster
  const std::unique_ptr<char[]> buffer(new char[piece]);
  Total total;
  for (const char* path : paths) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t got = 1; got > 0; total.bytes += static_cast<std::uint64_t>(got))
      if ((got = ::read(file, buffer.get(), piece)) < 0) std::abort();
    ::close(file);
  }
  return total;
}

std::uint64_t peak_memory_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::uint64_t kb = 0; word == "VmHWM:" && status >> kb) return kb;
  std::abort();
}

enum class Unit : std::uint8_t { records, bytes };

void measure(Unit unit, const std::function<Total()>& read_all) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::clock_t cpu_before = std::clock();
  std::chrono::duration<double> passed{};
  Total total;
  do {
    total.add(read_all());
    passed = Clock::now() - start;
  } while (passed < measured_for);
  const double cpu_s = static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
  const double count = static_cast<double>(unit == Unit::records ? total.records : total.bytes);
  std::printf("%.0f cpu_s_a_gb=%.4g peak_mb=%.4g\n", count / passed.count(),
              cpu_s / static_cast<double>(total.bytes) * 1e9, static_cast<double>(peak_memory_kb()) / 1000);
}

int run(std::string_view what, std::span<char*> given) {
  FileStorage storage(0);
  if (what == "make" && given.size() > 2) {
    make(storage, given, Compression::none, fill_at_random);
  } else if (what == "gzip" && given.size() > 2) {
    make(storage, given, Compression::gzip, fill_with_words_and_floats);
  } else if (what == "read" && given.size() > 1) {
    measure(Unit::records, [&] { return read_by(std::stoul(given[0]), storage, given.subspan(1)); });
  } else if (what == "bytes") {
    measure(Unit::bytes, [&] { return read(storage, given); });
  } else if (what == "bare") {
    measure(Unit::bytes, [&] { return read_bare(given); });
  } else if (what == "checksum") {
    const Total total = read(storage, given);
    std::printf("%llu %llu %llu\n", static_cast<unsigned long long>(total.records),
                static_cast<unsigned long long>(total.bytes), static_cast<unsigned long long>(total.first_words));
  } else {
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  const int status = argc > 2 ? carrack::data::run(argv[1], words.subspan(2)) : 2;
  if (status == 2)
    std::fputs(
        "usage: bench_records make|gzip LENGTH COUNT FILE... | read THREADS FILE... | bytes|bare|checksum FILE...\n",
        stderr);
  return status;
}
