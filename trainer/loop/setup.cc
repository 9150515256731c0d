#include "trainer/loop/setup.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>

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

// As it is from the root, however it is spelled.
data::Url whole_url(const std::string& text) {
  data::Url url = data::url_from(text);
  if (url.scheme == "file") url.name = std::filesystem::absolute(url.name).lexically_normal().string();
  return url;
}

// What a job writes must not be among what it reads, or each start would find other data.
void require_apart(const std::string& pattern, const std::string& folder) {
  const data::Url read = whole_url(pattern), written = whole_url(folder);
  const std::string prefix = checkpoint::prefix_of({.step = 1, .attempt = 0, .incarnation = 1, .number = 1});
  for (const std::string& name : {std::string("HEAD"), std::string("HEAD.1"), checkpoint::index_name(prefix),
                                  prefix + ".manifest", checkpoint::shard_name(prefix, 0, 1)}) {
    if (read.scheme != written.scheme || read.bucket != written.bucket) continue;
    if (!data::matches(read.name, written.name + (written.name.ends_with('/') ? "" : "/") + name)) continue;
    throw Error(Blame::user, "spec.data.train.files: " + pattern + " matches " + name +
                                 ", which the job itself writes to spec.checkpoint.folder; give it a folder apart, or "
                                 "say more of the files' names");
  }
}

}  // namespace

data::Batches batches_of(const Config& config, const Setup& setup, const data::Storages& storages) {
  std::vector<data::IndexedFile> files;
  for (const std::string& pattern : config.data.files) {
    require_apart(pattern, config.checkpoint.folder);
    auto indexed = data::indexed_files(storages.for_url(pattern), pattern);
    if (const auto* corrupt = std::get_if<data::Corrupt>(&indexed)) throw Error(Blame::user, data::text(*corrupt));
    auto& found = std::get<std::vector<data::IndexedFile>>(indexed);
    if (found.empty()) throw Error(Blame::user, "spec.data.train.files: no object matches " + pattern);
    std::move(found.begin(), found.end(), std::back_inserter(files));
  }
  const auto is_empty = [](const data::IndexedFile& file) { return file.index.records() == 0; };
  if (std::all_of(files.begin(), files.end(), is_empty)) {
    throw Error(Blame::user, "spec.data.train.files: the files hold no record");
  }
  return data::Batches(std::move(files), setup.features, static_cast<std::uint64_t>(config.training.seed),
                       {.batch = static_cast<std::uint64_t>(config.training.batch),
                        .lanes = static_cast<std::uint64_t>(config.training.lanes)});
}

FoundData found_in(const data::Batches& batches) {
  return {batches.order().steps_in_epoch(), batches.contents()};
}

}  // namespace carrack::train
