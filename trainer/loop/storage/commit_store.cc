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

// The decoded value. It comes from reports of this job's servers, so an error in it is a bug and not the user's fault.
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

// The coordinator numbers batches over all epochs, the manifest in each epoch.
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
  Runs all;
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

}  // namespace

Commit commit_of(const checkpoint::Committed& committed, const checkpoint::Manifest& manifest,
                 std::uint64_t batches_per_epoch) {
  return {committed.manifest, committed.crc32c, manifest.cut.step, over_epochs(manifest.applied, batches_per_epoch)};
}

bool still_claims(const Launch& launch, const data::Storages& storages) {
  return folder_of(launch.config, storages)
      .is_claimed_by(static_cast<std::uint64_t>(launch.fence.attempt),
                     static_cast<std::uint64_t>(launch.fence.incarnation));
}

bool has_committed(const Config& config, const data::Storages& storages) {
  const std::optional<checkpoint::Head> head = folder_of(config, storages).head();
  return head && head->committed;
}

CommitStore::CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce)
    : launch_(launch),
      setup_(setup),
      storages_(storages),
      folder_(storages.for_url(launch.config.checkpoint.folder), launch.config.checkpoint.folder),
      nonce_(std::move(nonce)),
      servers_(static_cast<std::uint32_t>(setup.ranges.size())) {}

std::optional<Exit> CommitStore::claim(FoundData data) {
  data_ = std::move(data);
  // Before HEAD is claimed, so that a job that is refused here does not keep its folder from the one that replaces it.
  const std::optional<checkpoint::Committed> resumed = resumed_so_far();
  if (resumed) last_ = commit_to_resume(*resumed, launch_.config, setup_, storages_, data_);
  auto claimed = folder_.claim(launch_.job_uid, static_cast<std::uint64_t>(launch_.fence.attempt),
                               static_cast<std::uint64_t>(launch_.fence.incarnation), nonce_,
                               {resumed, data_.first_pass != nullptr});
  if (const auto* taken = std::get_if<checkpoint::Taken>(&claimed)) {
    const std::string& folder = launch_.config.checkpoint.folder;
    throw FolderTaken(
        "spec.checkpoint.folder: " + folder + " belongs to another job, with UID " + taken->job +
        ", which trains there or has ended; give this job a folder of its own, for example with $(UID) in "
        "its name, and spec.checkpoint.resume: " +
        folder + " to go on from what that one has trained");
  }
  if (std::holds_alternative<checkpoint::Superseded>(claimed)) return Exit::superseded;
  claim_ = std::get<checkpoint::Claim>(std::move(claimed));
  if (claim_.head.first_pass != (data_.first_pass != nullptr)) {
    throw Error(Blame::platform, "another start of this coordinator has decided meanwhile how the job begins");
  }
  if (claim_.head.committed) {
    const checkpoint::Manifest manifest = folder_.manifest(*claim_.head.committed);
    require_same_data(manifest);
    last_ = commit_of(*claim_.head.committed, manifest, data_.batches_per_epoch);
  } else if (claim_.head.resumed != resumed) {  // Another start has claimed HEAD in between.
    last_ = commit_to_resume(*claim_.head.resumed, launch_.config, setup_, storages_, data_);
  }
  return std::nullopt;
}

// The step of a commit is a position in this order of these records.
void CommitStore::require_same_data(const checkpoint::Manifest& manifest) const {
  if (is_same_order(manifest.order, data_.order)) return;
  throw Error(Blame::user, "spec.data.train: the data has changed since step " + std::to_string(manifest.cut.step) +
                               ": it was " + describe_order(manifest.order) + "; it is " +
                               describe_order(comparable_text(manifest.order, data_.order)) +
                               "; give the job back what it began with, or begin another job");
}

// Until it has committed, a job resumes from the same commit at each start, although the other job may make new ones.
std::optional<checkpoint::Committed> CommitStore::resumed_so_far() {
  if (launch_.config.checkpoint.resume.empty()) return std::nullopt;
  const std::optional<checkpoint::Head> head = folder_.head();
  if (head && (head->committed || head->resumed || head->job != launch_.job_uid)) return head->resumed;
  return last_commit_to_resume(launch_.config, storages_);
}

bool CommitStore::still_claimed() {
  return folder_.holds(claim_);
}

checkpoint::Manifest CommitStore::manifest_of(const FinishedCut& cut, const checkpoint::Bundle& bundle) const {
  checkpoint::Manifest manifest;
  manifest.job = launch_.job_uid;
  manifest.cut = {.step = cut.version,
                  .attempt = claim_.head.attempt,
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
  const std::string nonce = nonce_ + "-" + std::to_string(++writes_);
  if (!folder_.commit(claim_, manifest_of(cut, bundle), bundle, nonce)) return std::nullopt;
  return Commit{claim_.head.committed->manifest, claim_.head.committed->crc32c, cut.version, cut.applied};
}

std::function<void(const NeededCheckpoints&, const std::function<bool()>&)> CommitStore::remover() const {
  return [folder = folder_, retention = retention_from(launch_.config.checkpoint)](
             const NeededCheckpoints& needed, const std::function<bool()>& go_on) mutable {
    retention.others = needed.others;
    folder.remove_unneeded(needed.last, retention, go_on);
  };
}

}  // namespace carrack::train
