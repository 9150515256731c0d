#include "dataloader/indexes/known_indexes.h"

#include <numeric>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/stored_index.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

// How many threads look up indexes at the same time. Indexes are small, so most of the time passes before their first
// byte arrives, and several lookups can wait at once.
constexpr std::size_t lookups_max = 16;

// Inflating a compressed file can begin only at some places. If two neighbouring places are more inflated bytes apart
// than this, the file is logged as slow: to read a single record, half of these bytes are inflated on average, which
// takes some 50 ms.
constexpr std::uint64_t usual_distance_max = std::uint64_t{32} << 20;

}  // namespace

KnownIndexes::KnownIndexes(StorageFor storage_for, std::vector<DataFile> files, const IndexingOptions& options)
    : storage_for_(std::move(storage_for)),
      files_(std::move(files)),
      log_(options.log),
      on_look_up_(options.on_look_up),
      found_(files_.size()),
      is_published_(files_.size()) {
  const auto folder_at = [&](const std::string& url) {
    return url.empty() ? nullptr : std::make_unique<IndexFolder>(storage_for_(url), url, log_);
  };
  shared_ = folder_at(options.shared);
  resumed_ = folder_at(options.resumed);
  cache_ = folder_at(options.cache);
  for_each_parallel(missing(), lookups_max, [this](std::size_t i) {
    found_[i] = beside(files_[i]);
    on_look_up_();
    return true;
  });
  refresh(missing());
  refresh_from(cache_, missing(), false);
}

std::unique_ptr<const ByteSource> KnownIndexes::source(std::size_t i) const {
  const Listed& file = files_[i].file;
  return std::make_unique<const StoredObject>(storage_for_(file.url), file.url, file.stat);
}

std::unique_ptr<const ByteSource> KnownIndexes::indexed_source(std::size_t i) const {
  CHECK(found_[i].has_value());
  std::unique_ptr<const ByteSource> file = source(i);
  if (!found_[i]->seek_points()) return file;
  return inflated(std::move(file), found_[i]->seek_points(), found_[i]->file().size, inflaters_);
}

std::vector<std::size_t> KnownIndexes::missing(std::vector<std::size_t> among) const {
  std::erase_if(among, [this](std::size_t i) { return found_[i].has_value(); });
  return among;
}

std::vector<std::size_t> KnownIndexes::missing() const {
  std::vector<std::size_t> all(files_.size());
  std::iota(all.begin(), all.end(), 0);
  return missing(std::move(all));
}

std::optional<Index> KnownIndexes::beside(const DataFile& data) const {
  if (!data.index) return std::nullopt;
  auto found = read_index(storage_for_(data.file.url), *data.index, data.file);
  if (Index* index = std::get_if<Index>(&found)) return std::move(*index);
  if (const auto* why = std::get_if<std::string>(&found)) log_("passes over an index: " + *why);
  return std::nullopt;
}

bool KnownIndexes::look_up(std::size_t i) {
  for (const Folder* folder : {&shared_, &resumed_}) {
    if (found_[i] || !*folder) continue;
    found_[i] = (*folder)->find(files_[i].file);
    is_published_[i] = folder == &shared_ && found_[i].has_value();
  }
  return found_[i].has_value();
}

bool KnownIndexes::look_up_or_throw(std::size_t i) {
  if (!found_[i]) {
    CHECK(shared_ != nullptr);
    found_[i] = shared_->find_or_throw(files_[i].file);
    is_published_[i] = found_[i].has_value();
  }
  return look_up(i);
}

void KnownIndexes::refresh(const std::vector<std::size_t>& files) {
  refresh_from(shared_, files, true);
  // These indexes do not count as published, because the job from which this job resumes may remove them.
  refresh_from(resumed_, files, false);
}

void KnownIndexes::refresh_from(const Folder& folder, const std::vector<std::size_t>& files, bool is_shared) {
  const std::vector<std::size_t> still = missing(files);
  if (!folder || still.empty()) return;
  const std::map<std::string, Listed> there = folder->list();
  for_each_parallel(still, lookups_max, [&](std::size_t i) {
    found_[i] = folder->find(files_[i].file, there);
    is_published_[i] = is_shared && found_[i].has_value();
    on_look_up_();
    return true;
  });
}

void KnownIndexes::add(std::size_t i, Index index) {
  found_[i] = std::move(index);
  if (cache_) cache_->publish_best_effort(files_[i].file.url, *found_[i]);
}

void KnownIndexes::publish_best_effort(std::size_t i) {
  CHECK(found_[i].has_value());
  if (shared_) shared_->publish_best_effort(files_[i].file.url, *found_[i]);
}

void KnownIndexes::publish(std::size_t i) {
  CHECK(shared_ != nullptr);
  CHECK(found_[i].has_value());
  if (is_published_[i]) return;
  shared_->publish(files_[i].file, *found_[i]);
  is_published_[i] = true;
}

void KnownIndexes::log_slow_files() const {
  std::size_t slow = 0, slowest = 0;
  std::uint64_t most = usual_distance_max;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const Index& index = *found_[i];
    const std::uint64_t distance = index.seek_points() ? largest_distance(*index.seek_points(), index.file().size) : 0;
    slow += distance > usual_distance_max ? 1 : 0;
    if (distance <= most) continue;
    most = distance;
    slowest = i;
  }
  if (slow == 0) return;
  log_(files_[slowest].file.url + (slow > 1 ? " and " + counted(slow - 1, "other file") : "") +
       ": slow to shuffle, as up to " + counted(most >> 20) +
       " MiB are inflated for one record; `carrack data convert --compression GZIP` writes files that are not");
}

std::vector<IndexedFile> KnownIndexes::indexed() && {
  CHECK(missing().empty());
  log_slow_files();
  std::vector<IndexedFile> files;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    std::unique_ptr<const ByteSource> source = indexed_source(i);
    files.push_back({std::move(source), *std::move(found_[i])});
  }
  return files;
}

std::vector<IndexedFile> KnownIndexes::indexed() const& {
  CHECK(missing().empty());
  log_slow_files();
  std::vector<IndexedFile> files;
  for (std::size_t i = 0; i < files_.size(); ++i) files.push_back({indexed_source(i), *found_[i]});
  return files;
}

}  // namespace carrack::data
