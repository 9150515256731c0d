#include "operator/cli/second_run.h"

#include "operator/cli/progress_line.h"
#include "operator/codec/job.h"

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

}  // namespace

std::variant<KeptJob, Stay> second_run(const KeptJob& kept, JobSpec asked, const std::string& folder) {
  JobSpec before = kept.spec;
  before.suspend = asked.suspend;
  asked.uid = before.uid;
  asked.generation = before.generation;
  if (const std::string field = difference(job_node(before), job_node(asked), ""); !field.empty()) {
    return Stay{2, folder + ": holds the run of another job, as " + field + " differs; give this one another --folder" +
                       ", or remove that one"};
  }
  if (is_finished(kept.status)) {
    return Stay{
        holds(kept.status, ConditionType::succeeded) ? 0 : 1,
        folder + ": this run has ended: " + condition_text(kept.status) + "; " + how_to_train_anew(kept.spec, folder)};
  }
  ++asked.generation;
  return KeptJob{std::move(asked), kept.status};
}

std::string how_to_train_anew(const JobSpec& spec, const std::string& folder) {
  const std::string& checkpoints = spec.config.checkpoint.folder;
  if (checkpoints.starts_with(folder + "/")) return "to train anew, remove " + folder + " or give another --folder";
  return "to train anew, remove " + folder + " and " + checkpoints +
         ", or give another --folder and another spec.checkpoint.folder";
}

}  // namespace carrack::control
