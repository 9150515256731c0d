#include "trainer/loop/data/data_start.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "trainer/error.h"
#include "trainer/loop/storage/resume.h"

namespace carrack::train {
namespace {

constexpr auto look_again_after = std::chrono::milliseconds(100);

// In Async a batch is anybody's, and its records would be found by going through a file that another goes through, too.
// An order that somebody asked for needs the records' number, as do a mix and what is drawn of an image.
bool may_begin_unindexed(const Config& config) {
  return config.training.consistency == Consistency::sync && !config.training.deterministic &&
         config.data.mix.empty() && config.data.stages == Data().stages &&
         std::ranges::none_of(config.data.features,
                              [](const Feature& feature) { return feature.image && is_random(*feature.image); });
}

// With fewer files than lanes an update would not have as many records as it should.
bool has_files_enough(const data::KnownIndexes& files, const Training& training) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < files.files(); ++i) count += files.file(i).stat.size > 0 ? 1 : 0;
  return count >= training.lanes;
}

bool lacks_an_index(const data::KnownIndexes& files) {
  return std::ranges::any_of(files.missing(), [&](std::size_t i) { return files.file(i).stat.size > 0; });
}

// What this job, or the one that it goes on from, has begun with; nothing where it is not decided yet.
std::optional<bool> began_with_first_pass(const Launch& launch, const data::Storages& storages) {
  const Config& config = launch.config;
  checkpoint::CheckpointFolder own(storages.for_url(config.checkpoint.folder), config.checkpoint.folder);
  const std::optional<checkpoint::Head> head = own.head();
  if (head && head->job == launch.job_uid) return head->first_pass;
  if (config.checkpoint.resume.empty()) return std::nullopt;
  checkpoint::CheckpointFolder other(storages.for_url(config.checkpoint.resume), config.checkpoint.resume);
  return data::tell_of_a_first_pass(other.manifest(last_commit_to_resume(config, storages)).order);
}

data::FirstPass first_pass_over(data::KnownIndexes files, const Training& training) {
  return {std::move(files), static_cast<std::uint64_t>(training.seed), batching_of(training)};
}

}  // namespace

JobData data_to_begin_with(const Launch& launch, const Setup& setup, const RoleContext& context,
                           const std::function<void(const data::IndexingProgress&)>& made) {
  const Training& training = launch.config.training;
  std::optional<JobFiles> files;
  if (snapshot_in(launch.config.data) == nullptr) files.emplace(job_files(launch, context));
  const std::optional<bool> did = began_with_first_pass(launch, context.storages);
  const bool may = files && may_begin_unindexed(launch.config) && has_files_enough(files->known, training);
  if (!may && did == true) {
    throw Error(Blame::user,
                "spec.training: the job, or that of spec.checkpoint.resume, began before its data was "
                "indexed, in an order that takes consistency: Sync, deterministic: false, spec.data.train.files in "
                "the usual stages, no image cropped or mirrored at random and at least as many files as lanes; "
                "give it back what it began with");
  }
  if (may && did.value_or(lacks_an_index(files->known))) return first_pass_over(std::move(files->known), training);
  auto all = files ? indexed_files(*std::move(files), launch, context, made) : snapshot_files(launch, context, made);
  return std::make_unique<Input>(std::move(all), launch, setup, context);
}

std::optional<JobData> data_that_was_begun_with(const Launch& launch, const Setup& setup, const RoleContext& context) {
  const Training& training = launch.config.training;
  if (snapshot_in(launch.config.data) != nullptr)
    return std::make_unique<Input>(snapshot_files(launch, context), launch, setup, context);
  JobFiles files = job_files(launch, context);
  if (may_begin_unindexed(launch.config) && has_files_enough(files.known, training)) {
    std::optional<bool> first_pass;
    while (!(first_pass = began_with_first_pass(launch, context.storages))) {
      if (context.asked_to_leave()) return std::nullopt;
      std::this_thread::sleep_for(look_again_after);
    }
    if (*first_pass) return first_pass_over(std::move(files.known), training);
  }
  return std::make_unique<Input>(indexed_files(std::move(files), launch, context), launch, setup, context);
}

FoundData found_in(JobData& data) {
  if (auto* input = std::get_if<std::unique_ptr<Input>>(&data)) return (*input)->found();
  auto& pass = std::get<data::FirstPass>(data);
  return {.contents = pass.contents(), .first_pass = &pass};
}

}  // namespace carrack::train
