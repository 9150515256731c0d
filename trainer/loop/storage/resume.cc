#include "trainer/loop/storage/resume.h"

#include <algorithm>
#include <optional>

#include "trainer/error.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/storage/stored_tensor.h"

namespace carrack::train {
namespace {

using std::to_string;

std::optional<std::string> other_seed(const checkpoint::Manifest& manifest, const Training& training) {
  if (manifest.seed == static_cast<std::uint64_t>(training.seed)) return std::nullopt;
  const std::string seed = to_string(manifest.seed);
  return "was trained with seed " + seed + "; set spec.training.seed: " + seed;
}

std::string and_batches(const FoundData& data) {
  if (data.first_pass != nullptr) return "";
  return " and " + to_string(data.batches_per_epoch) + " batches in spec.data.train";
}

// Returns a problem if the commit is at another position in the data than this job would be after the same number of
// steps, because batches differ. Also returns a problem if the commit is at or after the end of this job.
std::optional<std::string> other_position(const checkpoint::Manifest& manifest, const Training& training,
                                          const FoundData& data, bool may_be_at_end) {
  const DataPosition there{manifest.epoch, manifest.position};
  const DataPosition here = position_of(manifest.cut.step, data, training);
  const auto text = [](DataPosition at) {
    return "record " + to_string(at.record) + " of epoch " + to_string(at.epoch);
  };
  if (here != there) {
    return "is at " + text(there) + " after " + to_string(manifest.cut.step) +
           " steps; with spec.training.batch: " + to_string(training.batch) + and_batches(data) +
           " this job would be at " + text(here) + "; give it the data and the batch that it was trained with";
  }
  const std::optional<std::uint64_t> end = total_batches(data, training);
  if (!end || manifest.cut.step < *end || (may_be_at_end && manifest.cut.step == *end)) return std::nullopt;
  return "holds step " + to_string(manifest.cut.step) +
         ", and with spec.training.epochs: " + to_string(training.epochs) + " this job ends at step " +
         to_string(*end) + "; set more epochs";
}

std::optional<std::string> other_tensor(const checkpoint::Bundle& bundle, const std::string& name, const Shape& shape,
                                        const std::string& field) {
  const std::optional<std::string> held = tensor_mismatch(bundle, name, shape);
  if (!held) return std::nullopt;
  return "holds " + *held + "; this job has " + name + " as " + tensor_text(checkpoint::DType::float32, shape) +
         ": give it the " + field + " that it was trained with";
}

// Describes only the first tensor that differs, because the others usually differ due to the same field.
std::optional<std::string> other_tensors(const checkpoint::Bundle& bundle, const Setup& setup) {
  for (const PlacedTensor& tensor : setup.layout.tensors()) {
    if (auto other = other_tensor(bundle, tensor.name, tensor.shape, "spec.model")) return other;
    for (const std::string_view state : state_names(setup.optimizer)) {
      const std::string name = state_tensor(tensor.name, state);
      if (auto other = other_tensor(bundle, name, tensor.shape, "spec.training.optimizer")) return other;
    }
  }
  return std::nullopt;
}

// Returns a problem if this job is Sync and the commit is of an Async job that has not applied all batches up to its
// last one. A Sync job cannot start from such a commit, because in Sync a step means that all batches before it are
// applied.
std::optional<std::string> gaps(const checkpoint::Manifest& manifest, const Training& training,
                                std::uint64_t batches_per_epoch) {
  const std::vector<BatchRun> applied = commit_of({}, manifest, batches_per_epoch).applied;
  const bool has_no_gaps =
      applied.empty() || (applied.size() == 1 && applied.front() == BatchRun{0, manifest.cut.step});
  if (has_no_gaps || training.consistency == Consistency::async) return std::nullopt;
  return "was suspended in the middle of an Async job, with batches left out; set spec.training.consistency: Async";
}

std::optional<std::string> other_data(const checkpoint::Manifest& manifest, const FoundData& data) {
  if (is_same_order(manifest.order, data.order)) return std::nullopt;
  return "was trained on " + describe_order(manifest.order) + "; spec.data.train has " +
         describe_order(comparable_text(manifest.order, data.order)) +
         "; give it the files and stages that it was trained on";
}

// Returns a problem if the words or buckets of a text feature have changed: its strings would then have other ids than
// the model was trained with. Checkpoints without a configuration are of old releases, which had no text features.
std::optional<std::string> other_words(const checkpoint::Manifest& manifest, const Data& data) {
  if (manifest.config.empty()) return std::nullopt;
  Config stored;
  try {
    stored = parse_config_text(manifest.config);
  } catch (const Error&) {
    return "describes its model in a way that this release does not read; use the release that trained it, or a later "
           "one";
  }
  for (const Feature& before : stored.data.features) {
    const auto now = std::ranges::find(data.features, before.name, &Feature::name);
    if (now == data.features.end() || (now->words == before.words && now->buckets == before.buckets)) continue;
    return "was trained with other words or buckets of spec.data.features." + before.name +
           ", so its numbers stand for other strings; give it those";
  }
  return std::nullopt;
}

std::vector<std::string> contradictions(const checkpoint::Manifest& manifest, const checkpoint::Bundle& bundle,
                                        const Config& config, const Setup& setup, const FoundData& data,
                                        bool may_be_at_end = false) {
  std::vector<std::string> found;
  for (const std::optional<std::string>& one : {other_seed(manifest, config.training), other_data(manifest, data),
                                                other_position(manifest, config.training, data, may_be_at_end),
                                                gaps(manifest, config.training, data.batches_per_epoch),
                                                other_words(manifest, config.data), other_tensors(bundle, setup)}) {
    if (one) found.push_back(*one);
  }
  return found;
}

[[noreturn]] void refuse(const std::string& field, const std::string& folder, const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& one : reasons) text += (text.empty() ? "" : "\n") + (field + ": " + folder) + " " + one;
  throw Error(Blame::user, text);
}

[[noreturn]] void refuse(const Config& config, const std::vector<std::string>& reasons) {
  refuse("spec.checkpoint.resume", config.checkpoint.resume, reasons);
}

checkpoint::CheckpointFolder folder_to_resume(const Config& config, const data::Storages& storages) {
  return {storages.for_url(config.checkpoint.resume), config.checkpoint.resume};
}

// Reads the manifest of the checkpoint to resume. If it is missing or another one, the field may name another folder
// than at the first start of this job, which chose the checkpoint.
checkpoint::Manifest manifest_to_resume(checkpoint::CheckpointFolder& folder, const checkpoint::Committed& committed) {
  try {
    return folder.manifest(committed);
  } catch (const Error& error) {
    throw Error(error.blame(), std::string(error.what()) +
                                   "\nspec.checkpoint.resume: if this field named another folder when the job first "
                                   "started, name that one until the job has committed, or begin another job");
  }
}

}  // namespace

checkpoint::Committed last_commit_to_resume(const Config& config, const data::Storages& storages) {
  checkpoint::CheckpointFolder folder = folder_to_resume(config, storages);
  const std::optional<checkpoint::Head> head = folder.head();
  if (!head) refuse(config, {folder.absence_of("HEAD")});
  if (!head->committed) refuse(config, {"holds no checkpoint yet; wait until its job has committed one"});
  return *head->committed;
}

Commit commit_to_resume(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                        const data::Storages& storages, const FoundData& data) {
  checkpoint::CheckpointFolder folder = folder_to_resume(config, storages);
  const checkpoint::Manifest manifest = manifest_to_resume(folder, committed);
  const auto reasons = contradictions(manifest, folder.open(manifest).bundle, config, setup, data);
  if (!reasons.empty()) refuse(config, reasons);
  Commit commit = commit_of(committed, manifest, data.batches_per_epoch);
  commit.resumed = true;
  // An Async job needs the list of applied batches. A commit of a Sync job has none, because it has applied all batches
  // up to its step.
  const bool async = config.training.consistency == Consistency::async;
  if (async && commit.applied.empty()) commit.applied = {BatchRun{0, commit.version}};
  return commit;
}

void require_fits_folder(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                         const data::Storages& storages, const FoundData& data) {
  const std::string& url = config.checkpoint.folder;
  checkpoint::CheckpointFolder folder(storages.for_url(url), url);
  const checkpoint::Manifest manifest = folder.manifest(committed);
  const bool may_be_at_end = true;
  const auto reasons = contradictions(manifest, folder.open(manifest).bundle, config, setup, data, may_be_at_end);
  if (!reasons.empty()) refuse("spec.checkpoint.onTaken", url, reasons);
}

}  // namespace carrack::train
