#include "operator/cli/resume_run.h"

#include <algorithm>
#include <cstdio>

#include "operator/cli/progress_line.h"
#include "operator/codec/job.h"
#include "operator/core/restart.h"

namespace carrack::control {
namespace {

std::string first_difference(const Node& left, const Node& right, const std::string& path);

// Returns the first entry of `left` whose name `right` does not have; nullptr if it has all.
const Entry* first_missing(const Node::Map& left, const Node::Map& right) {
  const auto found = std::ranges::find_if(
      left, [&](const Entry& entry) { return std::ranges::find(right, entry.name, &Entry::name) == right.end(); });
  return found == left.end() ? nullptr : &*found;
}

// Returns the path of the first field that differs. If a field of both maps differs and one map also lacks a field of
// the other, the maps are values of two kinds, such as two optimizers. Then returns `path`, that of the maps.
std::string first_difference(const Node::Map& left, const Node::Map& right, const std::string& path) {
  const auto below = [&](const Entry& entry) { return path.empty() ? entry.name : path + "." + entry.name; };
  const Entry* missing = first_missing(left, right);
  if (!missing) missing = first_missing(right, left);
  for (const Entry& entry : left) {
    const auto same = std::ranges::find(right, entry.name, &Entry::name);
    const std::string found = same == right.end() ? "" : first_difference(entry.node, same->node, below(entry));
    if (!found.empty()) return missing ? path : found;
  }
  return missing ? below(*missing) : "";
}

// Returns the path of the lists if they differ in length, or in an element that is not a map.
std::string first_difference(const Node::List& left, const Node::List& right, const std::string& path) {
  if (left.size() != right.size()) return path;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool has_fields = std::holds_alternative<Node::Map>(left[i].value);
    const std::string found = first_difference(left[i], right[i], path + "[" + std::to_string(i) + "]");
    if (!found.empty()) return has_fields ? found : path;
  }
  return "";
}

// Returns the path of the first field that differs; empty if none does. The order of fields does not matter, because
// the fields of a saved pod template are in another order than in the manifest.
std::string first_difference(const Node& left, const Node& right, const std::string& path) {
  const auto* left_map = std::get_if<Node::Map>(&left.value);
  const auto* right_map = std::get_if<Node::Map>(&right.value);
  if (left_map && right_map) return first_difference(*left_map, *right_map, path);
  const auto* left_list = std::get_if<Node::List>(&left.value);
  const auto* right_list = std::get_if<Node::List>(&right.value);
  if (left_list && right_list) return first_difference(*left_list, *right_list, path);
  return left == right ? "" : path;
}

// Returns the options to change so that another run does not use the folders of this one.
std::string other_folder_advice(const SavedJob& saved, const std::string& folder) {
  if (saved.spec.own) return "another --folder";
  const bool inside = saved.spec.config.checkpoint.folder.starts_with(folder + "/");
  return inside ? "another --folder" : "another --folder and another spec.checkpoint.folder";
}

std::string train_again_advice(const SavedJob& saved, const std::string& folder) {
  const std::string& checkpoints = saved.spec.config.checkpoint.folder;
  const std::string both =
      saved.spec.own || checkpoints.starts_with(folder + "/") ? folder : folder + " and " + checkpoints;
  return "to train from the start, remove " + both + ", or give " + other_folder_advice(saved, folder);
}

RunRefusal refuse_other_job(const SavedJob& saved, const std::string& field, const std::string& folder) {
  const std::string refusal = folder + ": holds the run of another job, as " + field +
                              " differs; put it back, or give this one " + other_folder_advice(saved, folder);
  if (saved.spec.own) return {2, refusal + ", or remove the folder"};
  return {2, refusal + ", with spec.checkpoint.resume: " + saved.spec.config.checkpoint.folder +
                 " to go on from what that run has trained"};
}

// Returns true if the job may change only in spec.run and spec.data.onDamage, because it has results of its spec: once
// it has succeeded or has a checkpoint. With strategy Own Carrack sees no checkpoints, so the same holds from the first
// start until the job fails.
bool is_bound_to_its_spec(const SavedJob& saved) {
  if (holds(saved.status, ConditionType::succeeded)) return true;
  const bool has_started = !saved.status.conditions.empty() && !is_finished(saved.status);
  return saved.spec.own ? has_started : saved.status.last_checkpoint.has_value();
}

// Says how the run ended, and how to train again. If another job owns the checkpoints now (`other_owner` is its UID),
// does not advise to remove them.
RunRefusal refuse_finished(const SavedJob& saved, const std::string& folder, const std::string& other_owner) {
  const std::string ended = folder + ": this run has ended: " + condition_text(saved.status) + "; ";
  if (!other_owner.empty()) {
    return {0, ended + other_owner_text(saved.spec, other_owner) + "; to train from the start, give " +
                   other_folder_advice(saved, folder)};
  }
  const std::string checkpoint = checkpoint_text(saved.status, saved.spec);
  return {0, ended + checkpoint + (checkpoint.empty() ? "" : "; ") + train_again_advice(saved, folder)};
}

}  // namespace

std::variant<SavedJob, RunRefusal> resume_run(const SavedJob& saved, JobSpec requested, const std::string& folder,
                                              const std::string& other_owner) {
  const bool succeeded = holds(saved.status, ConditionType::succeeded);
  JobSpec before = saved.spec;
  before.run = requested.run;
  // onDamage may change, because it does not change the order in which records are used.
  before.config.data.on_damage = requested.config.data.on_damage;
  requested.uid = before.uid;
  fill_in_folder(requested);
  requested.generation = before.generation;
  const std::string changed = first_difference(job_node(before), job_node(requested), "");
  if (!changed.empty() && is_bound_to_its_spec(saved)) return refuse_other_job(saved, changed, folder);
  if (succeeded) return refuse_finished(saved, folder, other_owner);
  ++requested.generation;
  const bool is_retry = is_finished(saved.status) || !changed.empty();
  JobStatus status = is_retry ? retry_failed_job(saved.status) : saved.status;
  // Without these conditions the deadlines of the job, which count from their times, begin again. The job was not
  // active until now.
  std::erase_if(status.conditions, [](const Condition& condition) {
    return condition.type == ConditionType::created || condition.type == ConditionType::suspended;
  });
  return SavedJob{std::move(requested), std::move(status)};
}

std::string other_owner_text(const JobSpec& spec, const std::string& other_owner) {
  return "checkpoints: " + spec.config.checkpoint.folder + ", which another job has now, with UID " + other_owner;
}

std::string checkpoint_text(const JobStatus& status, const JobSpec& spec) {
  constexpr std::string_view ending = ".manifest";
  if (!status.last_checkpoint) return "";
  std::string prefix = status.last_checkpoint->name;
  if (prefix.ends_with(ending)) prefix.resize(prefix.size() - ending.size());
  return "checkpoint of step " + std::to_string(status.last_checkpoint->step) + ": " + spec.config.checkpoint.folder +
         "/" + prefix;
}

std::string best_checkpoint_text(const JobStatus& status, const JobSpec& spec) {
  if (!status.best_checkpoint) return "";
  char loss[32] = "";
  if (status.best_checkpoint->loss) std::snprintf(loss, sizeof loss, ", loss %.4g", *status.best_checkpoint->loss);
  return "best checkpoint, of step " + std::to_string(status.best_checkpoint->step) + loss + ": " +
         spec.config.checkpoint.folder + "/BEST";
}

}  // namespace carrack::control
