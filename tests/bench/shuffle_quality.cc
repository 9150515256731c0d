// bench_shuffle_quality ROW_BYTES [NAME=FILE]...: figures of how well 256,000 rows are shuffled, with one of ten
// labels, in 1,000 batches: by our orders, and by those in files, as 64-bit numbers.
#include <cstdio>
#include <fstream>
#include <span>
#include <string>

#include "tests/dataloader/pipeline/shuffle_quality.h"

namespace carrack::data {
namespace {

constexpr std::uint64_t rows = 256'000, batch = 256;

RowOrder order_in(const std::string& file) {
  RowOrder order(rows);
  std::ifstream bytes(file, std::ios::binary);
  if (!bytes.read(reinterpret_cast<char*>(order.data()), static_cast<std::streamsize>(rows * sizeof(order[0])))) {
    std::fprintf(stderr, "bench_shuffle_quality: %s: does not hold %llu numbers\n", file.c_str(),
                 static_cast<unsigned long long>(rows));
    std::exit(1);
  }
  return order;
}

void print(const std::string& name, const RowOrder& order) {
  const LabelMix sorted = label_mix(order, rows / 10, 10, batch);
  const LabelMix alternating = label_mix(order, 400, 10, batch);
  const Parted neighbours = parted(order, batch);
  std::printf(
      "shuffle_quality.%s sorted_off=%.3f chi_square=%.1f alternating_off=%.3f apart_mean=%.0f apart_median=%.0f "
      "same_batch=%.4f lay_apart_median=%.0f\n",
      name.c_str(), sorted.off, sorted.chi_square, alternating.off, neighbours.mean, neighbours.median,
      neighbours.same_batch, neighbours.lay_median);
}

void print_blocks(const std::string& name, Blocks blocks, const Random& random) {
  print(name + "." + std::to_string(blocks.block) + "x" + std::to_string(blocks.window),
        order_of(block_shuffled(rows, blocks, random)));
}

void run(std::uint64_t row_bytes, std::span<char*> files) {
  const Random random(7, "quality");
  const Blocks defaults = default_blocks(row_bytes);
  print("full", order_of(shuffled(rows, random)));
  print_blocks("block", defaults, random);
  print_blocks("block_of_a_quarter", {defaults.block / 4, defaults.window * 4}, random);
  print_blocks("block_of_a_16th", {defaults.block / 16, defaults.window * 16}, random);
  print_blocks("block_of_thrice_the_memory", {defaults.block, defaults.window * 3}, random);
  for (const std::string file : files) print(file.substr(0, file.find('=')), order_in(file.substr(file.find('=') + 1)));
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_shuffle_quality ROW_BYTES [NAME=FILE]...\n", stderr);
    return 2;
  }
  carrack::data::run(std::stoul(argv[1]), std::span(argv + 2, argv + argc));
  return 0;
}
