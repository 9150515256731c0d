#include "operator/explain/advice.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>

#include "operator/core/last_failure.h"
#include "operator/core/reasons.h"
#include "trainer/launch/exit.h"

namespace carrack::control {
namespace {

constexpr std::string_view no_cure = "Nothing.";

constexpr Advice of_running[] = {
    {reasons::members_running, "trains: PROGRESS", "Nothing; `carrack top TARGET` follows it."},
    {reasons::progress_unreachable, "trains, and nobody can read its progress",
     "Have a NetworkPolicy admit the operator's pods to port 7401 of the job's. Without that the job trains and ends "
     "the same; its status shows no progress."},
    {reasons::denied, "waits: MEMBERS cannot be created",
     "The cause names the policy, the webhook or the right that is missing. Have it allow the pod, or change the "
     "manifest so that it does. The operator tries again by itself, at least every 5 minutes.",
     "Mend what the cause says, such as a full disk or a folder that cannot be written. `carrack run` tries again by "
     "itself, at least every 5 minutes."},
    {reasons::quota_exceeded, "waits: a quota has no room for MEMBERS",
     "Free some of the quota (`kubectl describe resourcequota` shows what is used), have it raised, or ask for less in "
     "spec.replicas. The operator tries again by itself, at least every 5 minutes."},
    {reasons::image_unavailable, "waits: the image of MEMBERS cannot be pulled",
     "Check the name of the image in the cause, that its registry has it, and that the nodes may pull it. The image of "
     "trainers is a value of the operator's chart, `trainer.image`; that of workers with a model of kind Own is in "
     "spec.replicas.worker.template. The node tries again by itself."},
    {reasons::volume_unavailable, "waits: a volume of MEMBERS is missing, or is not where the nodes are",
     "Create or bind the PersistentVolumeClaim that the cause names, in a zone that has nodes for the job."},
    {reasons::node_refused, "waits: a node does not run MEMBERS",
     "The cause is in the node's words; often it lacks memory, disk or a device. Mend the node, or keep pods away from "
     "it with `kubectl cordon`. The operator starts the members again by itself."},
    {reasons::unschedulable, "waits: no node can take MEMBERS",
     "Ask for less in spec.replicas.ROLE.resources, or add nodes. `kubectl describe nodes` shows what is free on each, "
     "and the taints that keep pods away. The scheduler tries again by itself."},
    {reasons::disrupted_again, "waits: the cluster ends MEMBERS again and again",
     "Ask for as much memory and disk in spec.replicas.ROLE.resources as the members use, or keep them from nodes that "
     "evict them. The operator starts them again by itself, at least every minute."},
    {reasons::not_answered, "waits: the cluster does not answer for MEMBERS",
     "The API server or a webhook is overloaded or broken. If that lasts for minutes, mend what the cause names. The "
     "operator tries again by itself, at least every minute."},
    {reasons::waiting_for_members, "waits for MEMBERS to start", "Wait; this passes by itself."},
    {reasons::indexing, "prepares: its members search the data for where the records are",
     "Wait. `carrack data index FILES` writes indexes next to the files, which all jobs find."},
    {reasons::preparing, "prepares: its members read the data once before the first step", "Wait."},
    {reasons::waiting_for_folder, "waits: another job has its checkpoint folder",
     "Wait, for 2 minutes at most: a job that has ended is known by its silence. "
     "End the other job if it is not to go on; `carrack logs TARGET` has its UID."},
    {reasons::draining, "is being stopped: it commits what is done", "Wait, for at most spec.run.drainSeconds.",
     "Wait, or interrupt `carrack run` again, which ends it at once."},
    {reasons::needs_newer_operator, "is left alone: a newer release has written its spec",
     "Upgrade the operator, with `helm upgrade`. The pods go on meanwhile."},
    {reasons::operator_bug, "is left alone: the operator has failed on it",
     "This is a fault of Carrack: report it with the cause and the manifest. The operator tries again when the spec "
     "changes, such as spec.run.backoffLimit.",
     "This is a fault of Carrack: report it with the cause and the manifest."},
};

constexpr Advice of_restarts[] = {
    {reasons::member_restarts, "restarts what has ended: MEMBERS",
     "Wait; it continues by itself. If the same member ends again and again, mend what the cause says."},
    {reasons::job_restarts, "restarts: all members start again from the last commit",
     "Wait; it continues by itself. If it restarts again and again, mend what the cause says before "
     "spec.run.backoffLimit is reached."},
    {reasons::nothing_restarts, "does not restart", no_cure},
};

constexpr Advice of_stalls[] = {
    {reasons::no_progress, "has stalled, and all its members have been started again",
     "Wait for a new step. If it stalls again, `carrack logs TARGET` may say where it hangs; if its steps take longer, "
     "raise spec.run.progressDeadlineSeconds."},
    {reasons::not_stalled, "does not stall", no_cure},
};

constexpr Advice of_suspension[] = {
    {reasons::suspended, "is suspended",
     "`kubectl patch tj JOB --type=merge -p '{\"spec\":{\"run\":{\"suspend\":false}}}'` continues it from the last "
     "commit.",
     "The same `carrack run` continues it from the last commit."},
    {reasons::not_suspended, "was never suspended", no_cure},
    {reasons::resumed, "was suspended before, and continues", no_cure},
};

constexpr Advice of_ends[] = {
    {reasons::training_succeeded, "has succeeded: PROGRESS",
     "`carrack plot CHECKPOINTS` draws its losses, `carrack predict CHECKPOINTS FILES` applies the model, "
     "unless it is of kind Own."},
    {reasons::invalid_spec, "has failed: its spec cannot be run",
     "Correct every problem that the cause lists, delete the job, and apply it again."},
    {reasons::user_error, "has failed: a member found a mistake that a retry would find again",
     "Correct what the cause says. AGAIN"},
    {reasons::backoff_limit_exceeded, "has failed: it needed more restarts than spec.run.backoffLimit allows",
     "Mend what the cause says. AGAIN"},
    {reasons::failure_rule, "has failed: a rule of spec.run.failureRules ended it", "Mend what the cause says. AGAIN"},
    {reasons::start_deadline_exceeded, "has failed: it did not run in time",
     "Mend what the cause says, or raise spec.run.startDeadlineSeconds; then delete the job, and apply it again.",
     "Mend what the cause says, or raise spec.run.startDeadlineSeconds, and run it again."},
    {reasons::deadline_exceeded, "has failed: it was active for longer than it may",
     "Raise spec.run.activeDeadlineSeconds. AGAIN"},
    {reasons::progress_deadline_exceeded, "has failed: it stalled more often than spec.run.backoffLimit allows",
     "`carrack logs TARGET` may say where it hangs. If its steps take longer, raise spec.run.progressDeadlineSeconds. "
     "AGAIN"},
    {reasons::checkpoint_taken, "has failed: another job owns its checkpoint folder",
     "Delete the job, and apply it again with a checkpoint.folder of its own, such as gs://BUCKET/$(NAME)/$(UID), or "
     "with spec.checkpoint.onTaken: GoOn or Replace once the other job has ended.",
     "Give it a checkpoint.folder of its own, or spec.checkpoint.onTaken: GoOn or Replace once the other job has "
     "ended, and run it again."},
    {reasons::checkpoint_lost, "has failed: its last commit is no longer in its checkpoint folder",
     "Restore the newest HEAD and the files that it names, for instance from older versions of the objects. AGAIN"},
    {reasons::finished, "is over", no_cure},
    {reasons::not_finished, "is not over", no_cure},
};

constexpr Advice of_beginnings[] = {
    {reasons::job_created, "begins: its members start next", "Wait."},
    {reasons::definition_outdated, "goes on, but the cluster's definition of TrainingJobs drops a part of its status",
     "Apply the definition of the operator's release, with `helm upgrade`."},
    {reasons::unreadable, "is left alone: the cluster's definition of TrainingJobs is of another release",
     "Install the operator and the definition of one release, with `helm upgrade`."},
};

// The advice that differs for strategy Own, because Carrack does not know what the user's own program has saved.
constexpr Advice of_own[] = {
    {reasons::image_unavailable, "waits: the image of MEMBERS cannot be pulled",
     "Check the name of the image in spec.replicas.ROLE.template, that its registry has it, and that the nodes may "
     "pull it. The node tries again by itself."},
    {reasons::draining, "is being stopped: its processes end", "Wait, for at most spec.run.drainSeconds.",
     "Wait, or interrupt `carrack run` again, which ends it at once."},
    {reasons::job_restarts, "restarts: all members start again",
     "Wait; they start by themselves. If it restarts again and again, mend what the cause says before "
     "spec.run.backoffLimit is reached."},
    {reasons::suspended, "is suspended",
     "`kubectl patch tj JOB --type=merge -p '{\"spec\":{\"run\":{\"suspend\":false}}}'` starts its members again.",
     "The same `carrack run` starts its members again."},
    {reasons::training_succeeded, "has succeeded: PROGRESS", "`carrack logs TARGET` prints what its program wrote."},
};

constexpr auto table = [] {
  constexpr std::size_t size = std::size(of_running) + std::size(of_restarts) + std::size(of_stalls) +
                               std::size(of_suspension) + std::size(of_ends) + std::size(of_beginnings);
  std::array<Advice, size> all{};
  auto* at = all.data();
  for (const std::span<const Advice> part :
       {std::span<const Advice>(of_running), std::span<const Advice>(of_restarts), std::span<const Advice>(of_stalls),
        std::span<const Advice>(of_suspension), std::span<const Advice>(of_ends),
        std::span<const Advice>(of_beginnings)}) {
    at = std::ranges::copy(part, at).out;
  }
  return all;
}();

}  // namespace

std::span<const Advice> all_advice() {
  return table;
}

std::span<const Advice> advice_of_own() {
  return of_own;
}

const Advice* advice_about(const JobSpec& spec, std::string_view reason) {
  const auto* const own = std::ranges::find(of_own, reason, &Advice::reason);
  if (spec.own && own != std::end(of_own)) return own;
  const auto* const found = std::ranges::find(table, reason, &Advice::reason);
  return found == table.end() ? nullptr : found;
}

std::string_view retry_advice(const JobSpec& spec, Place place) {
  const bool is_run = place == Place::this_machine;
  if (spec.own) {
    return is_run ? "`carrack logs TARGET` prints what its program wrote. The same `carrack run` then tries again."
                  : "`carrack logs TARGET` prints what its program wrote; then delete the job, and apply it again.";
  }
  return is_run ? "The same `carrack run` then tries again from the last commit."
                : "Then delete the job, and apply it again with a checkpoint.folder of its own. With "
                  "`checkpoint.resume: CHECKPOINTS` it goes on from the last commit.";
}

std::string_view cure_of_end(const JobSpec& spec, const LastFailure& failure) {
  if (failure.reason == train::spelled(EndCause::out_of_memory)) {
    return spec.own ? "A process used more memory than it may: ask for more memory in spec.replicas.ROLE.resources."
                    : "A process used more memory than it may: ask for more memory in spec.replicas.ROLE.resources, or "
                      "lower training.batch. `carrack plan` says how much each role needs.";
  }
  if (failure.reason == start_error) {
    return "The program of spec.replicas.ROLE.template, or that of --trainer, cannot be executed: correct its name, or "
           "the file.";
  }
  if (failure.reason == hung) {
    return "A process ran and did not answer, or made no progress: it was stopped or frozen, its machine had no time "
           "for it, a read or a device kept it waiting, or it could not reach others. See whether others on that "
           "machine fail, too.";
  }
  if (!spec.own && failure.exit_code == static_cast<int>(train::Exit::bug)) {
    return "A process ended by a fault of Carrack: report it with what `carrack logs TARGET` prints.";
  }
  if (failure.signal == SIGKILL && failure.reason.empty()) {
    return spec.own ? "A process was killed, often because the machine had no memory left. If its template has a "
                      "liveness probe, an event of its pod may say `Liveness probe failed`."
                    : "A process was killed, often because the machine had no memory left; `carrack plan` says how "
                      "much each role needs.";
  }
  return "";
}

}  // namespace carrack::control
