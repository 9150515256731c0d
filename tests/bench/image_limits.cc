// bench_image_limits wall|cpu THREADS FILE...: decodes the JPEGs of TFRecords of tf.Examples by libjpeg-turbo alone,
// from memory, with the options of our decoder, into one row of pixels that is written again and again; an image a
// thread. Prints how many images that are in a second, or in one of CPU time: a bound for every decoder that uses
// libjpeg-turbo.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// After <cstdio>, which it needs and does not include.
#include <jpeglib.h>

#include "dataloader/pipeline/reading.h"

namespace carrack::data {
namespace {

constexpr double measured_for_s = 3;

// libjpeg-turbo writes aligned rows past the caches, which is faster where nobody reads them, as here.
struct alignas(64) Row {
  JSAMPLE pixels[std::size_t{3} << 14];
};

std::vector<std::string> images_in(const std::vector<std::string>& files) {
  const Storages storages{StorageSettings{}};
  Reading reading(Dataset::records(files).parse({{"image", Dtype::bytes, 1}}).batch(64), storages, {});
  std::vector<std::string> images;
  while (const std::optional<Rows> rows = reading.next())
    for (const std::string_view image : std::get<LargeVector<std::string_view>>(rows->columns[0].values))
      images.emplace_back(image);
  return images;
}

// Any fault of an image ends the program, by libjpeg's own handler.
void decode(const std::string& bytes, Row& row) {
  jpeg_decompress_struct image{};
  jpeg_error_mgr errors{};
  image.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&image);
  jpeg_mem_src(&image, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&image, TRUE);
  image.dct_method = JDCT_IFAST;
  image.out_color_space = JCS_RGB;
  jpeg_start_decompress(&image);
  if (std::size_t{3} * image.output_width > sizeof row.pixels) std::abort();
  JSAMPROW into = row.pixels;
  while (image.output_scanline < image.output_height) jpeg_read_scanlines(&image, &into, 1);
  jpeg_finish_decompress(&image);
  jpeg_destroy_decompress(&image);
}

double images_per_second(std::size_t threads, std::span<const std::string> images, bool of_cpu) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::clock_t cpu_start = std::clock();
  const auto passed_s = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::atomic<std::uint64_t> taken = 0;
  const auto work = [&] {
    const auto row = std::make_unique<Row>();
    while (passed_s() < measured_for_s) decode(images[taken++ % images.size()], *row);
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  const double cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  return static_cast<double>(taken) / (of_cpu ? cpu_s : passed_s());
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  const std::string_view clock = argc > 3 ? argv[1] : "";
  if (clock != "wall" && clock != "cpu") {
    std::fputs("usage: bench_image_limits wall|cpu THREADS FILE...\n", stderr);
    return 2;
  }
  const std::vector<std::string> images = carrack::data::images_in({argv + 3, argv + argc});
  if (images.empty()) {
    std::fputs("bench_image_limits: the files contain no image\n", stderr);
    return 1;
  }
  std::printf("%.1f\n", carrack::data::images_per_second(std::stoul(argv[2]), images, clock == "cpu"));
}
