#include "trainer/loop/job_files.h"

#include <iterator>
#include <string_view>
#include <utility>

#include "dataloader/indexes/data_files.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/indexes/indexed_files.h"
#include "dataloader/storage/url.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr std::string_view index_folder = "indexes";

std::string inside(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

// What a job writes must not be among what it reads, or each start would find other data.
void require_apart(const std::string& pattern, const std::string& folder) {
  const data::Url read = data::url_from(data::one_spelling(pattern));
  const std::string prefix = checkpoint::prefix_of({.step = 1, .attempt = 0, .incarnation = 1, .number = 1});
  for (const std::string& name :
       {std::string("HEAD"), std::string("HEAD.1"), checkpoint::index_name(prefix), prefix + ".manifest",
        checkpoint::shard_name(prefix, 0, 1), std::string(index_folder) + "/" + data::index_name(folder)}) {
    const data::Url written = data::url_from(data::one_spelling(inside(folder, name)));
    if (read.scheme != written.scheme || read.bucket != written.bucket) continue;
    if (!data::matches(read.name, written.name)) continue;
    throw Error(Blame::user, "spec.data.train.files: " + pattern + " matches " + name +
                                 ", which the job itself writes to spec.checkpoint.folder; give it a folder apart, or "
                                 "say more of the files' names");
  }
}

// The coordinator and the workers without whom there is no job need all indexes. More workers come and go, and count on
// nobody's waiting for them.
data::Share share_of(const Launch& launch) {
  const bool is_worker = launch.member.role == Role::worker;
  return {.member = is_worker ? static_cast<std::size_t>(launch.member.index) + 1 : 0,
          .members = static_cast<std::size_t>(launch.config.workers.min) + 1};
}

// Where this job looks for indexes.
data::Indexing indexing_of(const Launch& launch, const Surroundings& surroundings) {
  const auto indexes_in = [](const std::string& folder) {
    return folder.empty() ? folder : inside(folder, std::string(index_folder));
  };
  return {.shared = indexes_in(launch.config.checkpoint.folder),
          .cache = surroundings.index_cache,
          .resumed = indexes_in(launch.config.checkpoint.resume),
          .share = share_of(launch),
          .log = surroundings.log};
}

}  // namespace

data::KnownIndexes known_indexes(const Launch& launch, const Surroundings& surroundings) {
  const Config& config = launch.config;
  const auto storage_for = [&storages = surroundings.storages](const std::string& url) -> data::Storage& {
    return storages.for_url(url);
  };
  std::vector<data::DataFile> files;
  for (const std::string& pattern : config.data.files) {
    require_apart(pattern, config.checkpoint.folder);
    auto found = data::data_files(storage_for(pattern), pattern, surroundings.log);
    if (found.empty()) throw Error(Blame::user, "spec.data.train.files: no object matches " + pattern);
    std::move(found.begin(), found.end(), std::back_inserter(files));
  }
  return {storage_for, std::move(files), indexing_of(launch, surroundings)};
}

std::vector<data::IndexedFile> indexed_files(data::KnownIndexes known, const Launch& launch,
                                             const Surroundings& surroundings,
                                             const std::function<void(const data::Built&)>& built) {
  data::Indexing indexing = indexing_of(launch, surroundings);
  indexing.built = [&](const data::Built& now) {
    surroundings.log("indexing " + data::text_of(now));
    built(now);
  };
  auto indexed = data::indexed_files(std::move(known), indexing);
  if (const auto* corrupt = std::get_if<data::Corrupt>(&indexed)) throw Error(Blame::user, data::text(*corrupt));
  return std::get<std::vector<data::IndexedFile>>(std::move(indexed));
}

}  // namespace carrack::train
