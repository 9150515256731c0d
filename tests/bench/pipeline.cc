// bench_pipeline WHAT FILE...: pipelines over TFRecord files on local disk, by as many threads as there are CPUs.
//   full | blocks | buffer | sequential
//                                prints how many records a second come, in batches of 1024, for a second at least
//   checksum FILE...             prints a sum over all records, by which the peer shows that it delivers the same
//   state FILE...                prints how many bytes the state is, in the middle of a shuffle through a buffer
//   accelerators FILE...         prints how many emulated H100s these cores keep busy: batches of 400, 0.224 s each
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dataloader/pipeline/reading.h"
#include "dataloader/records/little_endian.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

const ReadingOptions options;

Dataset shuffled(const Dataset& records, std::string_view what) {
  if (what == "full") return records.shuffle({.kind = Shuffle::Kind::full});
  if (what == "blocks") return records.shuffle({.kind = Shuffle::Kind::block});
  if (what == "buffer" || what == "state") return records.shuffle({.kind = Shuffle::Kind::buffer, .buffer = 10'000});
  return records;
}

struct Total {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t first_words = 0;  // the sum of each record's first eight bytes as a number

  void add(const Rows& rows) {
    records += rows.count;
    for (const std::string_view record : std::get<LargeVector<std::string_view>>(rows.columns[0].values)) {
      bytes += record.size();
      first_words += number_at<std::uint64_t>(reinterpret_cast<const std::byte*>(record.data()));
    }
  }
};

// Opening, which indexes the files, is not counted: it is done once a job, and kept.
double records_per_second(const Dataset& dataset, const Storages& storages) {
  Reading reading(dataset.repeat(), storages, options);
  Total total;
  total.add(reading.next().value());
  const std::uint64_t before = total.records;
  const Clock::time_point start = Clock::now();
  Seconds passed{};
  do {
    total.add(reading.next().value());
    passed = Clock::now() - start;
  } while (passed < Seconds(1));
  return static_cast<double>(total.records - before) / passed.count();
}

// The share of their time that so many accelerators compute: one that is as many times as fast stands for them.
double busy(Reading& reading, double accelerators) {
  const Seconds step(0.224 / accelerators);
  const int steps = std::max(10, static_cast<int>(1.0 / step.count()));
  reading.next();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < steps; ++i) {
    std::this_thread::sleep_for(step);
    reading.next();
  }
  return steps * step.count() / Seconds(Clock::now() - start).count();
}

double accelerators(const Dataset& dataset, const Storages& storages) {
  Reading reading(dataset.batch(400, true).repeat(), storages, options);
  double low = 0.1, high = 1;
  while (busy(reading, high) >= 0.9) low = std::exchange(high, high * 2);
  for (int i = 0; i < 5; ++i) {
    const double middle = (low + high) / 2;
    (busy(reading, middle) >= 0.9 ? low : high) = middle;
  }
  return low;
}

int run(std::string_view what, const std::vector<std::string>& files) {
  const Storages storages{StorageSettings{}};
  const Dataset records = Dataset::records(files);
  if (what == "checksum") {
    Reading reading(records.batch(1024), storages, options);
    Total total;
    while (const std::optional<Rows> rows = reading.next()) total.add(*rows);
    std::printf("%llu %llu %llu\n", static_cast<unsigned long long>(total.records),
                static_cast<unsigned long long>(total.bytes), static_cast<unsigned long long>(total.first_words));
  } else if (what == "state") {
    Reading reading(shuffled(records, what).batch(16), storages, options);
    for (int i = 0; i < 10; ++i) reading.next();
    std::printf("%zu\n", reading.state().size());
  } else if (what == "accelerators") {
    std::printf("%.2f\n", accelerators(records, storages));
  } else {
    std::printf("%.0f\n", records_per_second(shuffled(records, what).batch(1024), storages));
  }
  return 0;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  for (const std::string_view known : {"full", "blocks", "buffer", "sequential", "checksum", "state", "accelerators"})
    if (what == known) return carrack::data::run(what, {argv + 2, argv + argc});
  std::fputs("usage: bench_pipeline full|blocks|buffer|sequential|checksum|state|accelerators FILE...\n", stderr);
  return 2;
}
