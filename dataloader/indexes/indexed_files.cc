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

// About as many bytes as arrive in the time that one more read costs.
std::size_t read_size_for(const ByteSource& file) {
  return file.is_remote() ? std::size_t{4} << 20 : std::size_t{256} << 10;
}

// Of a member that is no slower than this it is believed that it lives.
constexpr std::uint64_t bytes_per_millisecond = 64'000;

class Indexer {
 public:
  Indexer(KnownIndexes known, const Indexing& how) : how_(how), known_(std::move(known)), corrupt_(known_.files()) {}

  std::variant<std::vector<IndexedFile>, Corrupt> run() {
    if (!known_.missing().empty()) build_what_is_missing();
    for (std::optional<Corrupt>& corrupt : corrupt_) {
      if (corrupt) return *std::move(corrupt);
    }
    return std::move(known_).indexed();
  }

 private:
  using Numbers = std::vector<std::size_t>;

  void build_what_is_missing() {
    const Numbers wanted = known_.missing();
    std::uint64_t bytes = 0;
    for (const std::size_t i : wanted) bytes += known_.file(i).stat.size;
    progress_.emplace(wanted.size(), bytes, how_.on_progress);
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < known_.files(); ++i) sizes.push_back(known_.file(i).stat.size);
    if (!build(own_share(sizes, how_.share))) return;
    wait_for_others();
    build(helping_order(known_.files(), how_.share));
  }

  // False where one of them cannot be indexed.
  bool build(const Numbers& files) {
    std::atomic<bool> good = true;
    for_each_parallel(known_.missing(files), how_.files_at_once, [&](std::size_t i) {
      if (!build(i)) good = false;
      return good.load();
    });
    return good;
  }

  bool build(std::size_t i) {
    const Listed& file = known_.file(i);
    if (known_.known(i)) {  // Somebody else may have done it by now.
      progress_->advance(file.stat.size, true);
      return true;
    }
    const std::unique_ptr<const ByteSource> read = known_.source(i);
    std::variant<Index, Corrupt> built = build_index(Watched(*read, *progress_), read_size_for(*read), how_.damage);
    if (Corrupt* corrupt = std::get_if<Corrupt>(&built)) {
      corrupt_[i] = std::move(*corrupt);
      return false;
    }
    known_.add(i, std::get<Index>(std::move(built)));
    known_.publish_best_effort(i);
    return true;
  }

  void wait_for_others() {
    if (how_.shared.empty()) return;
    constexpr auto longest_pause = std::chrono::milliseconds(1000);
    auto pause = std::chrono::milliseconds(10);
    Numbers wanted = known_.missing();
    for (Clock::time_point until = enough_for(wanted); !wanted.empty() && Clock::now() < until;) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
      known_.refresh(wanted);
      const Numbers left = known_.missing(wanted);
      if (left.size() == wanted.size()) continue;
      for (const std::size_t i : wanted) {
        if (known_.index(i) != nullptr) progress_->advance(known_.file(i).stat.size, true);
      }
      wanted = left;
      until = enough_for(wanted);
    }
  }

  Clock::time_point enough_for(const Numbers& files) const {
    std::uint64_t largest = 0;
    for (const std::size_t i : files) largest = std::max(largest, known_.file(i).stat.size);
    return Clock::now() + how_.patience + std::chrono::milliseconds(largest / bytes_per_millisecond);
  }

  const Indexing& how_;
  KnownIndexes known_;
  std::optional<BuildProgress> progress_;
  std::vector<std::optional<Corrupt>> corrupt_;
};

}  // namespace

std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(const StorageFor& storage_for,
                                                              const std::vector<DataFile>& files, const Indexing& how) {
  return indexed_files(KnownIndexes(storage_for, files, how), how);
}

std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(KnownIndexes known, const Indexing& how) {
  return Indexer(std::move(known), how).run();
}

}  // namespace carrack::data
