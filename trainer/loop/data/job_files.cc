#include "trainer/loop/data/job_files.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dataloader/indexes/data_files.h"
#include "dataloader/indexes/indexed_files.h"
#include "dataloader/pipeline/snapshots/file_snapshot.h"
#include "dataloader/storage/url.h"
#include "trainer/error.h"
#include "trainer/look/own_files.h"
#include "trainer/loop/setup/columns.h"

namespace carrack::train {
namespace {

// Throws if `pattern` matches files that the job itself writes. Each start of the job would find other data then.
void require_apart(const std::string& field, const std::string& pattern, const Config& config) {
  if (const auto problem = own_file_problem(pattern, config)) throw Error(Blame::user, field + ": " + *problem);
}

// The share of the data's files that this process indexes first. The coordinator and the first workers.min workers need
// all indexes, and divide the files among themselves. Further workers may leave at any time, so no process waits for
// indexes from them.
data::Share share_of(const Launch& launch) {
  const std::size_t members = static_cast<std::size_t>(launch.config.workers.min) + 1;
  switch (launch.member.role) {
    case Role::coordinator:
    case Role::ps:
      return {.member = 0, .members = members};
    case Role::worker:
      return {.member = static_cast<std::size_t>(launch.member.index) + 1, .members = members};
  }
  throw Error(Blame::bug, "no such role");
}

// The share of a snapshot's files that this process writes first. Only workers have a share, because a coordinator has
// few CPUs. Any process, even one without a share, writes files that no other process has finished.
data::Share share_among_workers(const Launch& launch) {
  const auto members = static_cast<std::size_t>(std::max(launch.config.workers.min, 1));
  switch (launch.member.role) {
    case Role::coordinator:
    case Role::ps:
      return {.member = members, .members = members};
    case Role::worker:
      return {.member = static_cast<std::size_t>(launch.member.index), .members = members};
  }
  throw Error(Blame::bug, "no such role");
}

data::IndexingOptions indexing_of(const Launch& launch, const RoleContext& context) {
  const auto indexes_in = [](const std::string& folder) {
    return folder.empty() ? folder : data::in_folder(folder, std::string(index_folder));
  };
  return {.shared = indexes_in(launch.config.checkpoint.folder),
          .cache = context.index_cache,
          .resumed = indexes_in(launch.config.checkpoint.resume),
          .share = share_of(launch),
          .log = context.log,
          .on_look_up = context.goes_on,
          .damage =
              launch.config.data.on_damage == OnDamage::skip ? data::DamagedFile::indexed : data::DamagedFile::refused};
}

data::StorageFor storages_in(const RoleContext& context) {
  return [&storages = context.storages](const std::string& url) -> data::Storage& { return storages.for_url(url); };
}

struct NamedFiles {
  std::vector<data::DataFile> files;
  std::vector<std::size_t> in_set;  // number of files in each set of a mix
};

NamedFiles files_named(const Config& config, const RoleContext& context) {
  NamedFiles named;
  const auto add_set = [&](const std::string& field, const std::vector<std::string>& patterns) {
    const std::size_t before = named.files.size();
    for (const std::string& pattern : patterns) {
      require_apart(field, pattern, config);
      data::Storage& storage = context.storages.for_url(pattern);
      auto found = data::data_files(storage, pattern, context.log);
      context.goes_on();
      if (found.empty()) throw Error(Blame::user, field + ": " + data::no_match_text(storage, pattern));
      std::move(found.begin(), found.end(), std::back_inserter(named.files));
    }
    named.in_set.push_back(named.files.size() - before);
  };
  if (config.data.evaluation) {
    for (const std::string& pattern : config.data.evaluation->files) {
      require_apart("spec.data.eval.files", pattern, config);
    }
  }
  const std::vector<MixedSet>& mix = config.data.mix;
  if (mix.empty()) add_set("spec.data.train.files", config.data.files);
  for (std::size_t i = 0; i < mix.size(); ++i) {
    add_set("spec.data.train.mix[" + std::to_string(i) + "].files", mix[i].files);
  }
  return named;
}

// Returns the filters among the stages. All of them come before the snapshot, so the snapshot has only records that
// pass all filters.
std::vector<data::FeatureBounds> filters_in(const Data& data) {
  std::vector<data::FeatureBounds> filters;
  for (const Stage& stage : data.stages) {
    const auto* filter = std::get_if<Filter>(&stage);
    if (filter == nullptr) continue;
    const auto feature = std::ranges::find(data.features, filter->feature, &Feature::name);
    if (feature == data.features.end())
      throw Error(Blame::bug, "a filter's feature, " + filter->feature + ", is not one of spec.data.features");
    filters.push_back({data_feature(*feature), filter->min, filter->max});
  }
  return filters;
}

}  // namespace

std::vector<FileSet> one_set(FileSet files) {
  std::vector<FileSet> sets;
  sets.push_back(std::move(files));
  return sets;
}

JobFiles job_files(const Launch& launch, const RoleContext& context) {
  NamedFiles named = files_named(launch.config, context);
  return {{storages_in(context), std::move(named.files), indexing_of(launch, context)}, std::move(named.in_set)};
}

std::vector<FileSet> indexed_files(JobFiles files, const Launch& launch, const RoleContext& context,
                                   const std::function<void(const data::IndexingProgress&)>& built) {
  data::IndexingOptions indexing = indexing_of(launch, context);
  indexing.on_progress = [&](const data::IndexingProgress& now) {
    context.goes_on();
    context.log("indexing " + data::describe(now));
    built(now);
  };
  auto indexed = data::indexed_files(std::move(files.known), indexing);
  if (const auto* corrupt = std::get_if<data::Corrupt>(&indexed)) throw Error(Blame::user, data::text(*corrupt));
  std::vector<FileSet> sets;
  auto next = std::make_move_iterator(std::get<FileSet>(indexed).begin());
  for (const std::size_t count : files.in_set) {
    sets.emplace_back(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  }
  return sets;
}

std::vector<FileSet> snapshot_files(const Launch& launch, const RoleContext& context,
                                    const std::function<void(const data::IndexingProgress&)>& written) {
  const Config& config = launch.config;
  std::vector<data::Listed> files;
  NamedFiles named = files_named(config, context);
  for (data::DataFile& file : named.files) files.push_back(std::move(file.file));
  const data::FileSnapshotOptions options{.folder = snapshot_in(config.data)->folder,
                                          .filters = filters_in(config.data),
                                          .share = share_among_workers(launch),
                                          .files_at_once = std::clamp<std::size_t>(context.cpus, 4, 16),
                                          .on_damage = data_on_damage(config.data.on_damage),
                                          .log = context.log,
                                          .on_progress =
                                              [&](const data::IndexingProgress& now) {
                                                context.goes_on();
                                                context.log("snapshot: " + data::describe(now));
                                                written(now);
                                              },
                                          .on_file = context.goes_on};
  auto found = data::open_file_snapshot(files, storages_in(context), options);
  if (const auto* corrupt = std::get_if<data::Corrupt>(&found)) throw Error(Blame::user, data::text(*corrupt));
  return one_set(std::get<FileSet>(std::move(found)));
}

}  // namespace carrack::train
