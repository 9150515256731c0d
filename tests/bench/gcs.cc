// bench_gcs ENDPOINT WHAT URL...: objects under gs://, from a server that plays a network.
//   sequential URL           prints how many bytes a second come when the object is read in turn
//   limit URL                prints how many the server gives whoever only receives them, in 32 streams
//   blocks URL LIST READERS  prints how many come in the blocks that LIST names, `OFFSET SIZE` a line, each read by one
//                            of so many readers, and the seconds that the slowest of a hundred reads took
//   records URL              prints how many bytes a second come of the TFRecords in it, all checksums checked
//   checksum URL             prints the object's CRC-32C, by which the peer shows that it delivers the same
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/http/connections.h"
#include "dataloader/machine/limits.h"
#include "dataloader/memory/large_vector.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/storage/storages.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

void read_in_turn(Storage& storage, const std::string& url, const ObjectStat& stat,
                  const std::function<void(std::span<const std::byte>)>& take) {
  // As the reader of records does, in memory as it has it: where that lies within its pages makes some copies half as
  // fast.
  constexpr std::size_t piece = std::size_t{256} << 10;
  LargeVector<std::byte> bytes(piece);
  const auto reader = storage.open(url, stat);
  for (std::uint64_t left = stat.size; left > 0;) {
    const auto into = std::span(bytes).first(std::min<std::uint64_t>(left, piece));
    if (reader->read(into) != ReadResult::complete) throw Error(url + ": changed");
    take(into);
    left -= into.size();
  }
}

void receive_all(const std::string& endpoint, const std::string& url, std::uint64_t size) {
  constexpr std::uint64_t range = std::uint64_t{8} << 20;
  const Url place = url_from(url);
  HttpConnections connections(endpoint, {});
  std::atomic<std::uint64_t> next = 0;
  std::vector<std::jthread> threads;
  for (int stream = 0; stream < 32; ++stream) {
    threads.emplace_back([&] {
      for (std::uint64_t at = next.fetch_add(range); at < size; at = next.fetch_add(range)) {
        HttpRequest request{.method = "GET",
                            .target = "/storage/v1/b/" + place.bucket + "/o/" + place.name + "?alt=media"};
        request.headers.emplace_back("Range", "bytes=" + std::to_string(at) + "-" + std::to_string(at + range - 1));
        request.receive = [](const HttpReply&, std::span<const std::byte>) { return true; };
        while (!is_content(connections.send(request).status)) {
        }
      }
    });
  }
}

std::uint64_t read_records(Storage& storage, const std::string& url, const ObjectStat& stat) {
  const StoredObject object(storage, url, stat);
  RecordReader reader(object);
  std::uint64_t bytes = 0;
  for (;;) {
    const auto next = reader.next();
    if (const auto* corrupt = std::get_if<Corrupt>(&next)) throw Error(text(*corrupt));
    const auto* records = std::get_if<Records>(&next);
    if (records == nullptr) return bytes;
    for (const Record& record : records->records) bytes += record.data.size();
  }
}

struct Block {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

std::vector<Block> blocks_in(const std::string& list) {
  std::ifstream in(list);
  std::vector<Block> blocks;
  for (Block block; in >> block.offset >> block.size;) blocks.push_back(block);
  return blocks;
}

struct BlockReads {
  std::uint64_t bytes = 0;
  std::vector<double> seconds;  // Of each read.
};

BlockReads read_blocks(Storage& storage, const std::string& url, const std::vector<Block>& blocks,
                       std::size_t readers) {
  const Version version = storage.stat(url).value().version;
  std::atomic<std::size_t> next = 0;
  BlockReads reads;
  reads.seconds.resize(blocks.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t reader = 0; reader < readers; ++reader) {
      threads.emplace_back([&] {
        Bytes bytes(std::size_t{8} << 20);
        for (std::size_t i = next++; i < blocks.size(); i = next++) {
          const Slice slice{blocks[i].offset, std::span(bytes).first(blocks[i].size)};
          const Clock::time_point begun = Clock::now();
          if (storage.read(url, {&slice, 1}, version) != ReadResult::complete) std::abort();
          reads.seconds[i] = seconds_since(begun);
        }
      });
    }
  }
  for (const Block& block : blocks) reads.bytes += block.size;
  return reads;
}

void run(const std::string& endpoint, const std::string& what, const std::vector<std::string>& rest) {
  StorageSettings settings;
  settings.gcs.emulator = endpoint;
  settings.memory_bytes = memory_of_this_process();
  const Storages storages(settings);
  const std::string& url = rest.at(0);
  Storage& storage = storages.for_url(url);
  const Clock::time_point begun = Clock::now();
  if (what == "blocks") {
    BlockReads reads = read_blocks(storage, url, blocks_in(rest.at(1)), std::stoul(rest.at(2)));
    const double passed = seconds_since(begun);
    std::ranges::sort(reads.seconds);
    std::printf("%.0f %.4f\n", static_cast<double>(reads.bytes) / passed,
                reads.seconds.at(reads.seconds.size() * 99 / 100));
    return;
  }
  const ObjectStat stat = storage.stat(url).value();
  if (what == "checksum") {
    std::uint32_t crc = 0;
    read_in_turn(storage, url, stat, [&crc](std::span<const std::byte> piece) { crc = crc32c(piece, crc); });
    std::printf("%u\n", crc);
    return;
  }
  if (what == "records") {
    const std::uint64_t bytes = read_records(storage, url, stat);
    std::printf("%.0f\n", static_cast<double>(bytes) / seconds_since(begun));
    return;
  }
  if (what == "limit") {
    receive_all(endpoint, url, stat.size);
  } else {
    read_in_turn(storage, url, stat, [](std::span<const std::byte>) {});
  }
  std::printf("%.0f\n", static_cast<double>(stat.size) / seconds_since(begun));
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) {
    std::fprintf(stderr, "usage: bench_gcs ENDPOINT sequential|limit|blocks|records|checksum URL [LIST READERS]\n");
    return 2;
  }
  try {
    carrack::data::run(arguments[0], arguments[1], {arguments.begin() + 2, arguments.end()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gcs: %s\n", error.what());
    return 1;
  }
  return 0;
}
