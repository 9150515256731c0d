#include "trainer/loop/data/data_start.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "trainer/error.h"
#include "trainer/loop/storage/resume.h"
#include "trainer/planning/reading.h"

namespace carrack::train {
namespace {

constexpr auto poll_every = std::chrono::milliseconds(100);

// In a first pass (an epoch that begins before the data is indexed) each lane, a share of every batch, reads files of
// its own. With fewer files than lanes, some lanes would have no records, and batches would be too small.
bool has_enough_files(const data::KnownIndexes& files, const Training& training) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < files.files(); ++i) count += files.file(i).stat.size > 0 ? 1 : 0;
  return count >= training.lanes;
}

bool lacks_index(const data::KnownIndexes& files) {
  return std::ranges::any_of(files.missing(), [&](std::size_t i) { return files.file(i).stat.size > 0; });
}

// True if this job, or the job from which it continues, began with a first pass; nullopt if that is not decided yet.
std::optional<bool> began_with_first_pass(const Launch& launch, const data::Storages& storages) {
  const Config& config = launch.config;
  const auto head_in = [&](const std::string& folder) {
    return checkpoint::CheckpointFolder(storages.for_url(folder), folder).head();
  };
  const std::optional<checkpoint::Head> own = head_in(config.checkpoint.folder);
  if (own && own->job == launch.job_uid) return own->first_pass;
  if (own && config.checkpoint.on_taken != OnTaken::fail) {
    // HEAD, in the checkpoint folder, still names another job. A worker waits until its coordinator has claimed HEAD
    // for this job, with the decision about the first pass.
    if (launch.member.role == Role::worker && config.strategy != Strategy::single) return std::nullopt;
    if (own->committed && config.checkpoint.on_taken == OnTaken::go_on) return own->first_pass;
  }
  if (config.checkpoint.resume.empty()) return std::nullopt;
  last_commit_to_resume(config, storages);  // throws if there is no commit
  return head_in(config.checkpoint.resume)->first_pass;
}

data::FirstPass first_pass_over(data::KnownIndexes files, const Training& training) {
  return {std::move(files), static_cast<std::uint64_t>(training.seed), batching_of(training)};
}

}  // namespace

JobData open_data_as_coordinator(const Launch& launch, const Setup& setup, const RoleContext& context,
                                 const std::function<void(const data::IndexingProgress&)>& built) {
  const Training& training = launch.config.training;
  std::optional<JobFiles> files;
  if (snapshot_in(launch.config.data) == nullptr) files.emplace(job_files(launch, context));
  const std::optional<bool> began_so = began_with_first_pass(launch, context.storages);
  const bool allowed = files && allows_first_pass(launch.config) && has_enough_files(files->known, training);
  if (!allowed && began_so == true) {
    throw Error(Blame::user,
                "spec.training: the job, or that of spec.checkpoint.resume, began before its data was "
                "indexed, in an order that takes consistency: Sync, deterministic: false, spec.data.train.files in "
                "the usual stages, no image cropped or mirrored at random and at least as many files as lanes; "
                "give it back what it began with");
  }
  if (allowed && began_so.value_or(lacks_index(files->known)))
    return first_pass_over(std::move(files->known), training);
  auto sets = files ? indexed_files(*std::move(files), launch, context, built) : snapshot_files(launch, context, built);
  return std::make_unique<Input>(std::move(sets), launch, setup, context);
}

std::optional<JobData> open_data_as_worker(const Launch& launch, const Setup& setup, const RoleContext& context) {
  const Training& training = launch.config.training;
  if (snapshot_in(launch.config.data) != nullptr)
    return std::make_unique<Input>(snapshot_files(launch, context), launch, setup, context);
  JobFiles files = job_files(launch, context);
  if (allows_first_pass(launch.config) && has_enough_files(files.known, training)) {
    std::optional<bool> first_pass;
    while (!(first_pass = began_with_first_pass(launch, context.storages))) {
      if (context.shutdown_requested()) return std::nullopt;
      context.goes_on();  // the coordinator may start much later
      std::this_thread::sleep_for(poll_every);
    }
    if (*first_pass) return first_pass_over(std::move(files.known), training);
  }
  return std::make_unique<Input>(indexed_files(std::move(files), launch, context), launch, setup, context);
}

FoundData found_in(JobData data) {
  if (const auto* input = std::get_if<std::unique_ptr<Input>>(&data)) return (*input)->found();
  auto pass = std::make_shared<data::FirstPass>(std::get<data::FirstPass>(std::move(data)));
  return {.order = order_of_first_pass(*pass), .first_pass = std::move(pass), .lanes_are_fixed = true};
}

}  // namespace carrack::train
