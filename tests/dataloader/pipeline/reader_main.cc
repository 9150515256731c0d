// pipeline-reader WHICH PATTERN SHARE OF FOLDER STEP [STATE]: reads its share of each batch of files, from a step on,
// for a test that kills it. For each step it puts a file STEP.SHARE into the folder, whole or not at all: where the
// reading goes on behind it, then the ids. Behind the last one it puts end.SHARE.
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include "dataloader/pipeline/reading.h"

namespace carrack::data {
namespace {

constexpr auto pause_for = std::chrono::microseconds(500);  // A step of a training takes longer.

Dataset dataset(std::string_view which, const std::string& pattern) {
  const Dataset ids = Dataset::records({pattern}).parse({{"id", Dtype::int64, 1}});
  if (which == "sequence") return ids.shuffle({.seed = 7}).repeat(2).batch(64);
  const auto no_sevenths = [](const Rows& rows) {
    std::vector<bool> kept;
    for (const std::int64_t id : std::get<LargeVector<std::int64_t>>(rows.column("id").values))
      kept.push_back(id % 7 != 0);
    return kept;
  };
  return ids.filter("no sevenths", no_sevenths)
      .shuffle({.kind = Shuffle::Kind::buffer, .seed = 7, .buffer = 500})
      .repeat(2)
      .batch(64);
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path + ".part", std::ios::binary) << bytes;
  std::filesystem::rename(path + ".part", path);
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void read(std::string_view which, const std::string& pattern, BatchShare share, const std::string& folder,
          std::uint64_t step, const std::string& state) {
  const Storages storages{StorageSettings{}};
  Reading reading(dataset(which, pattern), storages, {.share = share});
  if (!state.empty()) reading.restore(content_of(state));
  const std::string suffix = "." + std::to_string(share.index);
  for (; const std::optional<Rows> rows = reading.next(); ++step) {
    const std::string behind = reading.state();
    std::string content = std::to_string(behind.size()) + "\n" + behind;
    if (rows->count > 0)
      for (const std::int64_t id : std::get<LargeVector<std::int64_t>>(rows->column("id").values))
        content += std::to_string(id) + "\n";
    write(folder + "/" + std::to_string(step) + suffix, content);
    std::this_thread::sleep_for(pause_for);
  }
  write(folder + "/end" + suffix, std::to_string(step));
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  try {
    carrack::data::read(argv[1], argv[2], {std::stoul(argv[3]), std::stoul(argv[4])}, argv[5], std::stoul(argv[6]),
                        argc > 7 ? argv[7] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
