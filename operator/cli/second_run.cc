#include "operator/cli/second_run.h"

#include "operator/cli/progress_line.h"
#include "operator/codec/job.h"
#include "operator/core/restart.h"

namespace carrack::control {
namespace {

// The path of a field that differs; empty where none does.
std::string difference(const Node& left, const Node& right, const std::string& path) {
  if (left == right) return "";
  const auto* ours = std::get_if<Node::Map>(&left.value);
  const auto* theirs = std::get_if<Node::Map>(&right.value);
  if (!ours || !theirs || ours->size() != theirs->size()) return path;
  for (std::size_t at = 0; at < ours->size(); ++at) {
    if ((*ours)[at].name != (*theirs)[at].name) return path;
    const std::string below = path.empty() ? (*ours)[at].name : path + "." + (*ours)[at].name;
    const std::string found = difference((*ours)[at].node, (*theirs)[at].node, below);
    if (!found.empty()) return found;
  }
  return "";
}

// What another run has to be given, for neither to touch what the other has.
std::string elsewhere(const KeptJob& kept, const std::string& folder) {
  const bool inside = kept.spec.config.checkpoint.folder.starts_with(folder + "/");
  return inside ? "another --folder" : "another --folder and another spec.checkpoint.folder";
}

std::string how_to_train_anew(const KeptJob& kept, const std::string& folder) {
  const std::string& checkpoints = kept.spec.config.checkpoint.folder;
  const std::string both = checkpoints.starts_with(folder + "/") ? folder : folder + " and " + checkpoints;
  return "to train anew, remove " + both + ", or give " + elsewhere(kept, folder);
}

Stay other_job(const KeptJob& kept, const std::string& field, const std::string& folder) {
  return {2, folder + ": holds the run of another job, as " + field + " differs; put it back, or give this one " +
                 elsewhere(kept, folder) + ", with spec.checkpoint.resume: " + kept.spec.config.checkpoint.folder +
                 " to go on from what that run has trained"};
}

Stay done(const KeptJob& kept, const std::string& folder) {
  const std::string checkpoint = checkpoint_text(kept.status, kept.spec);
  return {0, folder + ": this run has ended: " + condition_text(kept.status) + "; " + checkpoint +
                 (checkpoint.empty() ? "" : "; ") + how_to_train_anew(kept, folder)};
}

}  // namespace

std::variant<KeptJob, Stay> second_run(const KeptJob& kept, JobSpec asked, const std::string& folder) {
  const bool succeeded = holds(kept.status, ConditionType::succeeded);
  JobSpec before = kept.spec;
  before.suspend = asked.suspend;
  before.backoff_limit = asked.backoff_limit;
  before.drain = asked.drain;
  asked.uid = before.uid;
  asked.generation = before.generation;
  const std::string changed = difference(job_node(before), job_node(asked), "");
  if (!changed.empty() && (kept.status.last_checkpoint || succeeded)) return other_job(kept, changed, folder);
  if (succeeded) return done(kept, folder);
  ++asked.generation;
  const bool anew = is_finished(kept.status) || !changed.empty();
  return KeptJob{std::move(asked), anew ? tried_again(kept.status) : kept.status};
}

std::string checkpoint_text(const JobStatus& status, const JobSpec& spec) {
  constexpr std::string_view ending = ".manifest";
  if (!status.last_checkpoint) return "";
  std::string prefix = status.last_checkpoint->name;
  if (prefix.ends_with(ending)) prefix.resize(prefix.size() - ending.size());
  return "checkpoint of step " + std::to_string(status.last_checkpoint->step) + ": " + spec.config.checkpoint.folder +
         "/" + prefix;
}

}  // namespace carrack::control
