#include "dataloader/indexes/indexed_files.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "dataloader/indexes/at_once.h"
#include "dataloader/indexes/index_folder.h"
#include "dataloader/indexes/stored_index.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

// About as many bytes as come in the time that another read costs: from a disk, and from an object store.
std::size_t piece_of(const std::string& url) {
  return url_from(url).scheme == "file" ? std::size_t{256} << 10 : std::size_t{4} << 20;
}

// Of a member that is no slower than this it is believed that it lives.
constexpr std::uint64_t bytes_per_millisecond = 64'000;

class Indexer {
 public:
  Indexer(const StorageFor& storage_for, const std::vector<DataFile>& files, const Indexing& how)
      : storage_for_(storage_for),
        files_(files),
        how_(how),
        all_(files.size()),
        found_(files.size()),
        corrupt_(files.size()) {
    std::iota(all_.begin(), all_.end(), 0);
    if (!how.shared.empty()) shared_.emplace(storage_for(how.shared), how.shared, how.log);
    if (!how.cache.empty()) cache_.emplace(storage_for(how.cache), how.cache, how.log);
  }

  std::variant<std::vector<IndexedFile>, Corrupt> run() {
    look();
    if (!missing(all_).empty()) build_what_is_missing();
    for (std::optional<Corrupt>& corrupt : corrupt_) {
      if (corrupt) return *std::move(corrupt);
    }
    std::vector<IndexedFile> files;
    for (std::size_t i = 0; i < files_.size(); ++i) files.push_back({source(i), *std::move(found_[i])});
    return files;
  }

 private:
  using Numbers = std::vector<std::size_t>;

  std::unique_ptr<const ByteSource> source(std::size_t i) const {
    const Listed& file = files_[i].file;
    return std::make_unique<const StoredObject>(storage_for_(file.url), file.url, file.stat);
  }

  Numbers missing(Numbers among) const {
    std::erase_if(among, [this](std::size_t i) { return found_[i].has_value(); });
    return among;
  }

  void look() {
    at_once(all_, how_.files_at_once, [this](std::size_t i) {
      found_[i] = beside(files_[i]);
      return true;
    });
    look_in(shared_);
    look_in(cache_);
  }

  std::optional<Index> beside(const DataFile& data) const {
    if (!data.index) return std::nullopt;
    auto found = stored_index(storage_for_(data.file.url), *data.index, data.file);
    if (Index* index = std::get_if<Index>(&found)) return std::move(*index);
    if (const auto* why = std::get_if<std::string>(&found)) how_.log("passes over an index: " + *why);
    return std::nullopt;
  }

  void look_in(std::optional<IndexFolder>& folder) {
    const Numbers wanted = missing(all_);
    if (!folder || wanted.empty()) return;
    const std::map<std::string, Listed> there = folder->list();
    at_once(wanted, how_.files_at_once, [&](std::size_t i) {
      found_[i] = folder->find(files_[i].file, there);
      return true;
    });
  }

  void build_what_is_missing() {
    const Numbers wanted = missing(all_);
    std::uint64_t bytes = 0;
    for (const std::size_t i : wanted) bytes += files_[i].file.stat.size;
    progress_.emplace(wanted.size(), bytes, how_.built);
    std::vector<std::uint64_t> sizes;
    for (const DataFile& data : files_) sizes.push_back(data.file.stat.size);
    if (!build(own_share(sizes, how_.share))) return;
    wait_for_others();
    build(order_of_help(files_.size(), how_.share));
  }

  // False where one of them cannot be indexed.
  bool build(const Numbers& files) {
    std::atomic<bool> good = true;
    at_once(missing(files), how_.files_at_once, [&](std::size_t i) {
      if (!build(i)) good = false;
      return good.load();
    });
    return good;
  }

  bool build(std::size_t i) {
    const Listed& file = files_[i].file;
    if (shared_) found_[i] = shared_->find(file);  // Somebody else may have done it by now.
    if (found_[i]) {
      progress_->advance(file.stat.size, true);
      return true;
    }
    const std::unique_ptr<const ByteSource> read = source(i);
    std::variant<Index, Corrupt> built = build_index(Watched(*read, *progress_), piece_of(file.url), how_.damage);
    if (Corrupt* corrupt = std::get_if<Corrupt>(&built)) {
      corrupt_[i] = std::move(*corrupt);
      return false;
    }
    found_[i] = std::get<Index>(std::move(built));
    if (shared_) shared_->keep(file.url, *found_[i]);
    if (cache_) cache_->keep(file.url, *found_[i]);
    return true;
  }

  void wait_for_others() {
    if (!shared_) return;
    constexpr auto longest_pause = std::chrono::milliseconds(1000);
    auto pause = std::chrono::milliseconds(10);
    Numbers wanted = missing(all_);
    for (Clock::time_point until = enough_for(wanted); !wanted.empty() && Clock::now() < until;) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
      look_in(shared_);
      const Numbers left = missing(wanted);
      if (left.size() == wanted.size()) continue;
      for (const std::size_t i : wanted) {
        if (found_[i]) progress_->advance(files_[i].file.stat.size, true);
      }
      wanted = left;
      until = enough_for(wanted);
    }
  }

  Clock::time_point enough_for(const Numbers& files) const {
    std::uint64_t largest = 0;
    for (const std::size_t i : files) largest = std::max(largest, files_[i].file.stat.size);
    return Clock::now() + how_.patience + std::chrono::milliseconds(largest / bytes_per_millisecond);
  }

  const StorageFor& storage_for_;
  const std::vector<DataFile>& files_;
  const Indexing& how_;
  std::optional<IndexFolder> shared_;
  std::optional<IndexFolder> cache_;
  std::optional<BuildProgress> progress_;
  Numbers all_;  // the number of each file
  std::vector<std::optional<Index>> found_;
  std::vector<std::optional<Corrupt>> corrupt_;
};

}  // namespace

std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(const StorageFor& storage_for,
                                                              const std::vector<DataFile>& files, const Indexing& how) {
  return Indexer(storage_for, files, how).run();
}

}  // namespace carrack::data
