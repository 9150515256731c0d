#include "trainer/loop/storage/commit_store.h"

#include <algorithm>

#include "trainer/error.h"
#include "trainer/loop/storage/resume.h"
#include "trainer/loop/storage/stored_model.h"

namespace carrack::train {
namespace {

checkpoint::CheckpointFolder folder_of(const Config& config, const data::Storages& storages) {
  const std::string& url = config.checkpoint.folder;
  return {storages.for_url(url), url};
}

// Returns the decoded value. It comes from reports of this job's servers, so a fault in it is a bug.
template <class Value>
Value or_bug(checkpoint::Decoded<Value> decoded) {
  if (const auto* corrupt = std::get_if<checkpoint::Corrupt>(&decoded)) throw Error(Blame::bug, corrupt->text);
  return std::get<Value>(std::move(decoded));
}

checkpoint::ShardReport report_of(const wire::Saved& saved) {
  checkpoint::ShardReport report{.entries = {}, .size = saved.size(), .crc32c = saved.crc32c()};
  for (const wire::Slice& slice : saved.slices()) {
    checkpoint::ShardEntry entry{
        .name = slice.tensor(),
        .dtype = static_cast<checkpoint::DType>(slice.dtype()),
        .shape = {},
        .rows = {static_cast<std::int64_t>(slice.row_begin()), static_cast<std::int64_t>(slice.row_count())},
        .offset = slice.offset(),
        .size = slice.size(),
        .crc32c = slice.crc32c()};
    for (const std::uint64_t size : slice.shape()) entry.shape.push_back(static_cast<std::int64_t>(size));
    report.entries.push_back(std::move(entry));
  }
  return report;
}

// The coordinator numbers batches over all epochs; the manifest numbers them within each epoch.
std::vector<checkpoint::AppliedRanges> by_epoch(const std::vector<BatchRun>& runs, std::uint64_t batches_per_epoch) {
  std::vector<checkpoint::AppliedRanges> all;
  for (const BatchRun& run : runs) {
    for (std::uint64_t begin = run.begin; begin < run.end;) {
      const std::uint64_t epoch = begin / batches_per_epoch;
      const std::uint64_t end = std::min(run.end, (epoch + 1) * batches_per_epoch);
      all.push_back({epoch, begin - epoch * batches_per_epoch, end - epoch * batches_per_epoch});
      begin = end;
    }
  }
  return all;
}

std::vector<BatchRun> over_epochs(const std::vector<checkpoint::AppliedRanges>& runs, std::uint64_t batches_per_epoch) {
  BatchSet all;
  for (const checkpoint::AppliedRanges& run : runs) {
    all.add(BatchRun{run.epoch * batches_per_epoch + run.begin, run.epoch * batches_per_epoch + run.end});
  }
  return all.list();
}

checkpoint::Retention retention_from(const Checkpoint& config) {
  checkpoint::Retention retention{.last = static_cast<std::uint64_t>(config.keep_last), .every_steps = std::nullopt};
  if (config.keep_every_steps) retention.every_steps = static_cast<std::uint64_t>(*config.keep_every_steps);
  return retention;
}

bool is_first_pass(const FoundData& data) {
  return data.first_pass != nullptr;
}

Error begun_otherwise() {
  return {Blame::platform, "another start of this coordinator has decided meanwhile how the job begins"};
}

}  // namespace

Commit commit_of(const checkpoint::Committed& committed, const checkpoint::Manifest& manifest,
                 std::uint64_t batches_per_epoch) {
  return {.manifest = committed.manifest,
          .manifest_crc32c = committed.crc32c,
          .version = manifest.cut.step,
          .applied = over_epochs(manifest.applied, batches_per_epoch),
          .skipped = {manifest.skipped.records, manifest.skipped.first}};
}

bool still_claims(const Launch& launch, const data::Storages& storages) {
  return folder_of(launch.config, storages)
      .is_claimed_by(launch.job_uid, static_cast<std::uint64_t>(launch.fence.attempt),
                     static_cast<std::uint64_t>(launch.fence.incarnation));
}

bool has_commit(const Launch& launch, const data::Storages& storages) {
  const std::optional<checkpoint::Head> head = folder_of(launch.config, storages).head();
  if (!head || !head->committed) return false;
  return head->job == launch.job_uid || launch.config.checkpoint.on_taken != OnTaken::replace;
}

CommitStore::CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce)
    : launch_(launch),
      setup_(setup),
      storages_(storages),
      folder_(storages.for_url(launch.config.checkpoint.folder), launch.config.checkpoint.folder),
      nonce_(std::move(nonce)),
      servers_(static_cast<std::uint32_t>(setup.ranges.size())) {}

std::optional<Exit> CommitStore::claim(FoundData data, const TakeOverWait& wait) {
  data_ = std::move(data);
  if (const std::optional<Exit> ended = claim_head(wait)) return ended;
  if (claim_.head.first_pass != is_first_pass(data_)) throw begun_otherwise();
  find_last_commit();
  return std::nullopt;
}

std::optional<Exit> CommitStore::claim_head(const TakeOverWait& wait) {
  while (true) {
    const std::optional<checkpoint::Head> head = folder_.head();
    if (!head || head->job == launch_.job_uid) {
      if (const auto outcome = claim_own(); outcome != Claimed::by_another_job) {
        return outcome == Claimed::superseded ? std::optional(Exit::superseded) : std::nullopt;
      }
      continue;
    }
    require_may_take_over(*head, launch_);
    const std::optional<checkpoint::Claim> left = wait_until_left(folder_, launch_, next_nonce(), wait);
    if (!left && wait.cancelled()) return Exit::drained;
    if (left && take_over(*left)) return std::nullopt;
  }
}

CommitStore::Claimed CommitStore::claim_own() {
  // The checkpoint to resume is checked before this job claims HEAD. Otherwise a job that is refused would own the
  // folder, and the corrected job that replaces it could not use the folder.
  resumed_ = resumed_so_far(folder_.head());
  if (resumed_) last_ = commit_to_resume(*resumed_, launch_.config, setup_, storages_, data_);
  auto claimed =
      folder_.claim(launch_.job_uid, static_cast<std::uint64_t>(launch_.fence.attempt),
                    static_cast<std::uint64_t>(launch_.fence.incarnation), nonce_, {resumed_, is_first_pass(data_)});
  if (std::holds_alternative<checkpoint::Superseded>(claimed)) return Claimed::superseded;
  if (std::holds_alternative<checkpoint::Taken>(claimed)) return Claimed::by_another_job;
  claim_ = std::get<checkpoint::Claim>(std::move(claimed));
  return Claimed::by_this_start;
}

// Makes this job the owner of HEAD, in which `found` names another job. Returns false if HEAD is not `found` any more.
// Throws if the checkpoint to continue from does not fit this job; HEAD is then unchanged.
bool CommitStore::take_over(const checkpoint::Claim& found) {
  const bool goes_on = launch_.config.checkpoint.on_taken == OnTaken::go_on;
  const bool has_commit = goes_on && found.head.committed;
  if (has_commit) {
    if (found.head.first_pass != is_first_pass(data_)) throw begun_otherwise();
    require_fits_folder(*found.head.committed, launch_.config, setup_, storages_, data_);
  }
  resumed_ = has_commit ? std::nullopt : resumed_so_far(std::nullopt);
  if (resumed_) last_ = commit_to_resume(*resumed_, launch_.config, setup_, storages_, data_);
  const checkpoint::Claimant by{launch_.job_uid, static_cast<std::uint64_t>(launch_.fence.attempt),
                                static_cast<std::uint64_t>(launch_.fence.incarnation), next_nonce()};
  std::optional<checkpoint::Claim> claim =
      folder_.take_over(found, by, goes_on ? checkpoint::Inheritance::go_on : checkpoint::Inheritance::replace,
                        {resumed_, is_first_pass(data_)});
  if (!claim) return false;
  claim_ = *std::move(claim);
  folder_.withdraw_request();
  return true;
}

void CommitStore::find_last_commit() {
  if (claim_.head.committed) {
    const checkpoint::Manifest manifest = folder_.manifest(*claim_.head.committed);
    require_same_data(manifest);
    last_ = commit_of(*claim_.head.committed, manifest, data_.batches_per_epoch);
    // An Async job needs the list of applied batches. A commit of a Sync job has none, because it has applied all
    // batches up to its step.
    const bool async = launch_.config.training.consistency == Consistency::async;
    if (async && last_.applied.empty() && last_.version > 0) last_.applied = {BatchRun{0, last_.version}};
    folder_.remove_replaced_best(claim_.head);
  } else if (claim_.head.resumed != resumed_) {
    // Another process of this job has chosen another commit to resume, after this process had read HEAD.
    last_ = commit_to_resume(*claim_.head.resumed, launch_.config, setup_, storages_, data_);
  }
}

std::uint64_t CommitStore::attempts_before() const {
  return claim_.head.taken_over ? claim_.head.taken_over->attempts : 0;
}

bool CommitStore::begins_in_place_of_another() const {
  const std::optional<checkpoint::TakenOver>& taken_over = claim_.head.taken_over;
  return taken_over && taken_over->replaced_attempts == taken_over->attempts && !claim_.head.committed;
}

// Throws if the commit is of other records or of another order. Its step is the number of batches that were used in
// that order, so it has no meaning in another one.
void CommitStore::require_same_data(const checkpoint::Manifest& manifest) const {
  if (is_same_order(manifest.order, data_.order)) return;
  throw Error(Blame::user, "spec.data.train: the data has changed since step " + std::to_string(manifest.cut.step) +
                               ": it was " + describe_order(manifest.order) + "; it is " +
                               describe_order(comparable_text(manifest.order, data_.order)) +
                               "; give the job back what it began with, or begin another job");
}

// Returns the commit in spec.checkpoint.resume, the folder of another job, from which this job starts. HEAD stores the
// choice until the first commit of this job. So each start uses the same commit, even if the other job commits again.
std::optional<checkpoint::Committed> CommitStore::resumed_so_far(const std::optional<checkpoint::Head>& head) {
  if (launch_.config.checkpoint.resume.empty()) return std::nullopt;
  if (head && (head->committed || head->resumed)) return head->resumed;
  return last_commit_to_resume(launch_.config, storages_);
}

bool CommitStore::still_claimed() {
  return folder_.holds(claim_) && folder_.answer_request(claim_, next_nonce());
}

checkpoint::Manifest CommitStore::manifest_of(const FinishedCut& cut, const checkpoint::Bundle& bundle) const {
  checkpoint::Manifest manifest;
  manifest.job = launch_.job_uid;
  manifest.cut = {.step = cut.version,
                  .attempt = checkpoint::attempt_in_names(claim_.head),
                  .incarnation = cut.number >> 32,
                  .number = cut.number & 0xffffffffu};
  manifest.timeline = cut.shards.front().timeline();
  manifest.seed = static_cast<std::uint64_t>(launch_.config.training.seed);
  const DataPosition position = position_of(cut.version, data_, launch_.config.training);
  manifest.epoch = position.epoch;
  manifest.position = position.record;
  manifest.order = data_.order.text;
  manifest.digest = checkpoint::digest_of(or_bug(checkpoint::digest_lines(bundle)));
  manifest.config = config_for_checkpoint(launch_.config);
  manifest.shards = servers_;
  // All servers have applied the same batches, so each of them reports the same skipped records.
  const wire::Skipped& skipped = cut.shards.front().skipped();
  manifest.skipped = {skipped.records(), skipped.first()};
  manifest.applied = by_epoch(cut.applied, data_.batches_per_epoch);
  for (std::uint32_t i = 0; i < servers_; ++i) {
    const wire::Saved& saved = cut.shards[i];
    manifest.files.push_back({checkpoint::shard_name(checkpoint::prefix_of(manifest.cut), i, servers_), saved.size(),
                              saved.crc32c(), saved.generation()});
  }
  return manifest;
}

std::optional<Commit> CommitStore::commit(const FinishedCut& cut) {
  std::vector<checkpoint::ShardReport> reports;
  for (const wire::Saved& saved : cut.shards) reports.push_back(report_of(saved));
  const checkpoint::Bundle bundle = or_bug(checkpoint::merge(reports));
  const bool is_first = !claim_.head.committed;
  if (!folder_.commit(claim_, manifest_of(cut, bundle), bundle, next_nonce())) return std::nullopt;
  if (is_first) folder_.remove_replaced_best(claim_.head);
  return Commit{.manifest = claim_.head.committed->manifest,
                .manifest_crc32c = claim_.head.committed->crc32c,
                .version = cut.version,
                .applied = cut.applied,
                .skipped = skipped_from(cut.shards.front().skipped())};
}

std::function<void(const NeededCheckpoints&, const std::function<bool()>&)> CommitStore::remover() const {
  checkpoint::Retention all = retention_from(launch_.config.checkpoint);
  if (claim_.head.taken_over) all.replaced_attempts = claim_.head.taken_over->replaced_attempts;
  return [folder = folder_, retention = std::move(all)](const NeededCheckpoints& needed,
                                                        const std::function<bool()>& go_on) mutable {
    retention.others = needed.others;
    folder.remove_unneeded(needed.last, retention, go_on);
  };
}

}  // namespace carrack::train
