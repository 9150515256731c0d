// bench_images WHAT THREADS FILE...: JPEGs in tf.Examples into batches of 64 images of 224x224 floats, from TFRecords
// on local disk.
//   wall|cpu THREADS FILE...  prints how many images become rows of batches in a second, or in one of CPU time
//   checksum THREADS FILE...  prints the number of images and the sum of all values' bits, by which the peer shows that
//                             it delivers the same
//   mean THREADS FILE...      prints the number of images and the mean of all values, for a peer that rounds
//   differently
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataloader/pipeline/reading.h"
#include "dataloader/pipeline/rows/image_function.h"

namespace carrack::data {
namespace {

Dataset images_in(const std::vector<std::string>& files) {
  return Dataset::records(files)
      .parse({{"image", Dtype::bytes, 1}})
      .map("decode", decode_images({.column = "image", .request = {.size = ImageSize{224, 224}}}))
      .batch(64);
}

struct Delivered {
  std::uint64_t images = 0;
  std::uint64_t bits = 0;
  std::uint64_t values = 0;
  double sum = 0;

  void add(const Rows& rows) {
    images += rows.count;
    for (const float value : std::get<LargeVector<float>>(rows.columns[0].values)) {
      bits += std::bit_cast<std::uint32_t>(value);
      sum += value;
      ++values;
    }
  }
};

double images_per_second(Reading& reading, bool of_cpu) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds measured_for(3);
  reading.next();
  const Clock::time_point start = Clock::now();
  const std::clock_t cpu_start = std::clock();
  std::uint64_t images = 0;
  while (Clock::now() - start < measured_for) images += reading.next().value().count;
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  return static_cast<double>(images) /
         (of_cpu ? static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC : wall_s);
}

int run(std::string_view what, const ReadingOptions& options, const std::vector<std::string>& files) {
  const Storages storages{StorageSettings{}};
  if (what == "checksum" || what == "mean") {
    Reading reading(images_in(files), storages, options);
    Delivered all;
    while (const std::optional<Rows> rows = reading.next()) all.add(*rows);
    const auto images = static_cast<unsigned long long>(all.images);
    if (what == "mean")
      std::printf("%llu %.3f\n", images, all.sum / static_cast<double>(all.values));
    else
      std::printf("%llu %llu\n", images, static_cast<unsigned long long>(all.bits));
  } else {
    Reading reading(images_in(files).repeat(), storages, options);
    std::printf("%.1f\n", images_per_second(reading, what == "cpu"));
  }
  return 0;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  const std::string_view what = argc > 3 ? argv[1] : "";
  for (const std::string_view known : {"wall", "cpu", "checksum", "mean"})
    if (what == known)
      return carrack::data::run(what, {.cpus = static_cast<unsigned>(std::stoul(argv[2]))}, {argv + 3, argv + argc});
  std::fputs("usage: bench_images wall|cpu THREADS FILE... | checksum|mean THREADS FILE...\n", stderr);
  return 2;
}
