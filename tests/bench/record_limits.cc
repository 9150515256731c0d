// bench_record_limits WHAT...: loops over TFRecord files that do only what every reader must, as bounds for ours.
//   checked THREADS LENGTH FILE...  prints how many records of LENGTH bytes a second that is which read() delivers in
//                                   pieces whose CRC-32C is computed, a file a thread; looks for no record
//   copied FILE...                  prints how many records in a second of CPU time get checked and copied into the
//                                   memory of a batch, by one thread
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

constexpr std::size_t piece = std::size_t{256} << 10;      // as the reader's; none of 64 KiB to 4 MiB is faster
constexpr std::size_t batch_bytes = std::size_t{1} << 20;  // more than 1024 records of criteo40
constexpr double measured_for_s = 1;

double cpu_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_record_limits: %s\n", what.c_str());
  std::exit(1);
}

class OpenFile {
 public:
  explicit OpenFile(const char* path) : file_(::open(path, O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail(std::string(path) + " cannot be opened");
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(file_); }

  std::size_t read(std::span<std::byte> into) const {
    const ssize_t got = ::read(file_, into.data(), into.size());
    if (got < 0) fail("a file cannot be read");
    return static_cast<std::size_t>(got);
  }

 private:
  const int file_;
};

struct Sum {
  std::uint64_t bytes = 0;
  std::uint32_t crcs = 0;  // keeps the compiler from leaving out the work
};

Sum check(const char* path, std::span<std::byte> buffer) {
  const OpenFile file(path);
  Sum sum;
  while (const std::size_t got = file.read(buffer)) {
    sum.bytes += got;
    sum.crcs += crc32c(buffer.first(got));
  }
  return sum;
}

Sum check_by(std::size_t threads, std::span<char*> paths) {
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint32_t> crcs = 0;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(piece);
    for (std::size_t file = next++; file < paths.size(); file = next++) {
      const Sum sum = check(paths[file], {buffer.get(), piece});
      bytes += sum.bytes;
      crcs += sum.crcs;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  return {bytes, crcs};
}

void measure_checked(std::size_t threads, std::uint64_t length, std::span<char*> paths) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const double cpu_before = cpu_s();
  double passed_s = 0;
  Sum all;
  do {
    const Sum sum = check_by(threads, paths);
    all.bytes += sum.bytes;
    all.crcs += sum.crcs;
    passed_s = std::chrono::duration<double>(Clock::now() - start).count();
  } while (passed_s < measured_for_s);
  std::fprintf(stderr, "checksums add up to %u\n", all.crcs);
  const auto bytes = static_cast<double>(all.bytes);
  std::printf("%.0f cpu_s_a_gb=%.4g\n", bytes / static_cast<double>(frame::size_of(length)) / passed_s,
              (cpu_s() - cpu_before) / bytes * 1e9);
}

// Copies the records at the beginning of `bytes`; returns how many bytes their frames take.
std::size_t copy_frames(std::span<const std::byte> bytes, std::span<std::byte> batch, std::size_t& filled,
                        std::uint64_t& records) {
  std::size_t at = 0;
  while (bytes.size() - at >= frame::header_size) {
    const auto length = frame::length_in(bytes.subspan(at).first<frame::header_size>());
    if (!length) fail("a length is damaged");
    if (bytes.size() - at < frame::size_of(*length)) break;
    const auto data = bytes.subspan(at + frame::header_size, *length + frame::footer_size);
    if (!frame::checksum_matches(data)) fail("a record is damaged");
    if (batch.size() - filled < *length) filled = 0;
    std::memcpy(batch.data() + filled, data.data(), *length);
    filled += *length;
    at += frame::size_of(*length);
    ++records;
  }
  return at;
}

std::uint64_t copy_all(std::span<char*> paths, std::span<std::byte> buffer, std::span<std::byte> batch) {
  std::uint64_t records = 0;
  std::size_t filled = 0;
  for (const char* path : paths) {
    const OpenFile file(path);
    std::size_t left = 0;
    while (const std::size_t got = file.read(buffer.subspan(left))) {
      const std::size_t used = copy_frames(buffer.first(left + got), batch, filled, records);
      left = left + got - used;
      std::memmove(buffer.data(), buffer.data() + used, left);
    }
  }
  return records;
}

void measure_copied(std::span<char*> paths) {
  std::vector<std::byte> buffer(piece), batch(batch_bytes);
  const double start = cpu_s();
  double passed_s = 0;
  std::uint64_t records = 0;
  do {
    records += copy_all(paths, buffer, batch);
    passed_s = cpu_s() - start;
  } while (passed_s < measured_for_s);
  std::printf("%.0f\n", static_cast<double>(records) / passed_s);
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  using namespace carrack::data;
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "checked" && argc > 4) {
    measure_checked(std::stoul(argv[2]), std::stoull(argv[3]), words.subspan(4));
  } else if (what == "copied" && argc > 2) {
    measure_copied(words.subspan(2));
  } else {
    std::fputs("usage: bench_record_limits checked THREADS LENGTH FILE... | copied FILE...\n", stderr);
    return 2;
  }
  return 0;
}
