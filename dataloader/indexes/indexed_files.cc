#include "dataloader/indexes/indexed_files.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/known_indexes.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

// The rate at which a process of the job is expected to index a file. If indexing takes longer, other processes do not
// wait any more and index the file themselves.
constexpr std::uint64_t bytes_per_millisecond = 64'000;

// Builds the missing indexes of a data set. The processes of a job divide the files: each first indexes its own share.
// Then it waits for the other processes, and builds the indexes that they have not built in time.
class Indexer {
 public:
  Indexer(KnownIndexes known, const IndexingOptions& options)
      : options_(options), known_(std::move(known)), corrupt_(known_.files()) {}

  std::variant<std::vector<IndexedFile>, Corrupt> run() {
    if (!known_.missing().empty()) build_missing();
    for (std::optional<Corrupt>& corrupt : corrupt_) {
      if (corrupt) return *std::move(corrupt);
    }
    return std::move(known_).indexed();
  }

 private:
  using Numbers = std::vector<std::size_t>;

  void build_missing() {
    const Numbers missing = known_.missing();
    std::uint64_t bytes = 0;
    for (const std::size_t i : missing) bytes += known_.file(i).stat.size;
    progress_.emplace(missing.size(), bytes, options_.on_progress);
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < known_.files(); ++i) sizes.push_back(known_.file(i).stat.size);
    if (!build(own_share(sizes, options_.share))) return;
    wait_for_others();
    build(helping_order(known_.files(), options_.share));
  }

  // Builds the missing indexes of these files. Returns false, and stops, if a file cannot be indexed.
  bool build(const Numbers& files) {
    std::atomic<bool> good = true;
    for_each_parallel(known_.missing(files), options_.files_at_once, [&](std::size_t i) {
      if (!build(i)) good = false;
      return good.load();
    });
    return good;
  }

  bool build(std::size_t i) {
    const Listed& file = known_.file(i);
    if (known_.look_up(i)) {  // Another process of the job has built the index.
      progress_->advance(file.stat.size, true);
      return true;
    }
    const std::unique_ptr<const ByteSource> read = known_.source(i);
    std::variant<Index, Corrupt> built =
        build_index(ProgressReportingSource(*read, *progress_), std::nullopt, options_.damage);
    if (Corrupt* corrupt = std::get_if<Corrupt>(&built)) {
      corrupt_[i] = std::move(*corrupt);
      return false;
    }
    known_.add(i, std::get<Index>(std::move(built)));
    known_.publish_best_effort(i);
    return true;
  }

  void wait_for_others() {
    if (options_.shared.empty()) return;
    constexpr auto pause_max = std::chrono::milliseconds(1000);
    auto pause = std::chrono::milliseconds(10);
    Numbers missing = known_.missing();
    for (Clock::time_point until = deadline_for(missing); !missing.empty() && Clock::now() < until;) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, pause_max);
      known_.refresh(missing);
      const Numbers left = known_.missing(missing);
      if (left.size() == missing.size()) continue;
      for (const std::size_t i : missing) {
        if (known_.index(i) != nullptr) progress_->advance(known_.file(i).stat.size, true);
      }
      missing = left;
      until = deadline_for(missing);
    }
  }

  // Returns until when to wait for the next index of these files. Each new index makes the wait begin again.
  Clock::time_point deadline_for(const Numbers& files) const {
    std::uint64_t largest = 0;
    for (const std::size_t i : files) largest = std::max(largest, known_.file(i).stat.size);
    return Clock::now() + options_.patience + std::chrono::milliseconds(largest / bytes_per_millisecond);
  }

  const IndexingOptions& options_;
  KnownIndexes known_;
  std::optional<BuildProgress> progress_;
  std::vector<std::optional<Corrupt>> corrupt_;
};

}  // namespace

std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(const StorageFor& storage_for,
                                                              const std::vector<DataFile>& files,
                                                              const IndexingOptions& options) {
  return indexed_files(KnownIndexes(storage_for, files, options), options);
}

std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(KnownIndexes known, const IndexingOptions& options) {
  return Indexer(std::move(known), options).run();
}

}  // namespace carrack::data
