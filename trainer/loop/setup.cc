#include "trainer/loop/setup.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "dataloader/indexes/data_files.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/indexes/indexed_files.h"
#include "dataloader/storage/url.h"
#include "trainer/error.h"

namespace carrack::train {

Setup setup_from(const Config& config) {
  ModelGraph model = model_graph(config.model, config.data);
  Layout layout = layout_of(model);
  std::vector<Range> by_server = ranges(layout, config.ps.max);
  std::vector<data::Feature> features;
  for (const Feature& feature : model.features) {
    const bool floats = feature.type == FeatureType::float32;
    features.push_back(
        {feature.name, floats ? data::Dtype::float32 : data::Dtype::int64, static_cast<std::size_t>(feature.size)});
  }
  return {.model = std::move(model),
          .layout = std::move(layout),
          .ranges = std::move(by_server),
          .optimizer = config.training.optimizer,
          .features = std::move(features),
          .mean = config.training.reduction == Reduction::mean};
}

std::uint64_t total_batches(std::uint64_t batches_per_epoch, const Training& training) {
  const auto epochs = static_cast<std::uint64_t>(training.epochs);
  const std::uint64_t epochs_max = std::numeric_limits<std::int64_t>::max() / batches_per_epoch;
  if (epochs > epochs_max) {
    throw Error(Blame::user, "spec.training.epochs: is " + std::to_string(epochs) + "; with " +
                                 std::to_string(batches_per_epoch) + " batches in spec.data.train.files at most " +
                                 std::to_string(epochs_max) + " can be counted");
  }
  return batches_per_epoch * epochs;
}

DataPosition position_of(std::uint64_t step, std::uint64_t batches_per_epoch, const Training& training) {
  return {step / batches_per_epoch, step % batches_per_epoch * static_cast<std::uint64_t>(training.batch)};
}

wire::Role role_of(Role role) {
  switch (role) {
    case Role::coordinator:
      return wire::COORDINATOR;
    case Role::ps:
      return wire::PS;
    case Role::worker:
      return wire::WORKER;
  }
  throw Error(Blame::bug, "a role without a number on the wire");
}

wire::Hello hello_of(const Launch& launch, const std::string& address) {
  wire::Hello hello;
  hello.set_job_uid(launch.job_uid);
  hello.set_attempt(static_cast<std::uint32_t>(launch.fence.attempt));
  hello.set_role(role_of(launch.member.role));
  hello.set_index(static_cast<std::uint32_t>(launch.member.index));
  hello.set_incarnation(static_cast<std::uint32_t>(launch.fence.incarnation));
  hello.set_address(address);
  return hello;
}

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

}  // namespace

data::Batches batches_of(const Launch& launch, const Setup& setup, const Surroundings& surroundings,
                         const std::function<void(const data::Built&)>& built) {
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
  auto indexed = data::indexed_files(storage_for, files,
                                     {.shared = inside(config.checkpoint.folder, std::string(index_folder)),
                                      .cache = surroundings.index_cache,
                                      .share = share_of(launch),
                                      .log = surroundings.log,
                                      .built = [&](const data::Built& now) {
                                        surroundings.log("indexing " + data::text_of(now));
                                        built(now);
                                      }});
  if (const auto* corrupt = std::get_if<data::Corrupt>(&indexed)) throw Error(Blame::user, data::text(*corrupt));
  const auto is_empty = [](const data::IndexedFile& file) { return file.index.records() == 0; };
  auto& all = std::get<std::vector<data::IndexedFile>>(indexed);
  if (std::all_of(all.begin(), all.end(), is_empty)) {
    throw Error(Blame::user, "spec.data.train.files: the files hold no record");
  }
  return data::Batches(std::move(all), setup.features, static_cast<std::uint64_t>(config.training.seed),
                       {.batch = static_cast<std::uint64_t>(config.training.batch),
                        .lanes = static_cast<std::uint64_t>(config.training.lanes)});
}

FoundData found_in(const data::Batches& batches) {
  return {batches.order().steps_in_epoch(), batches.contents()};
}

}  // namespace carrack::train
