// The values of `reason` in the conditions of a TrainingJob's status and in its Kubernetes events, grouped by the type
// of the condition. Users and programs select on them, so no release changes the name or the meaning of a reason.
// docs/reference/trainingjob.md lists those of conditions, docs/reference/kubernetes.md those of events.
#pragma once

namespace carrack::control::reasons {

// Created.
constexpr const char* job_created = "JobCreated";  // the operator has decided on the job for the first time

// Running is True.
constexpr const char* members_running = "MembersRunning";  // enough members run, or only the leader has to end
constexpr const char* progress_unreachable = "ProgressUnreachable";  // the same, but the progress cannot be read
// Running is False, because too few members run. The message says which member waits for what.
constexpr const char* denied = "Denied";                       // a policy, webhook or missing right prevents a process
constexpr const char* quota_exceeded = "QuotaExceeded";        // a quota is used up, so a process is not created
constexpr const char* image_unavailable = "ImageUnavailable";  // an image cannot be pulled
constexpr const char* volume_unavailable = "VolumeUnavailable";   // a volume is missing, or not where the nodes are
constexpr const char* node_refused = "NodeRefused";               // a node cannot run a process that was assigned to it
constexpr const char* unschedulable = "Unschedulable";            // no node has room for a process, or none may run it
constexpr const char* disrupted_again = "DisruptedAgain";         // the cluster ends a process again and again
constexpr const char* not_answered = "NotAnswered";               // the cluster or a webhook is overloaded or broken
constexpr const char* waiting_for_members = "WaitingForMembers";  // members are starting, or pause before they start

// Running is False although enough members may run: they do not train yet, or do not train any more.
constexpr const char* indexing = "Indexing";                    // members search the data for where its records are
constexpr const char* preparing = "Preparing";                  // members make a snapshot or statistics of the data
constexpr const char* waiting_for_folder = "WaitingForFolder";  // another job owns the checkpoint folder, and may end
constexpr const char* draining = "Draining";                    // members end, before the job is suspended or fails
constexpr const char* operator_bug = "OperatorBug";             // reconcile() threw; left alone until a new spec
constexpr const char* needs_newer_operator = "NeedsNewerOperator";  // a newer release wrote the spec; left alone

// Restarting is True while the job does not run because processes have ended, and starts them again.
constexpr const char* member_restarts = "MemberRestarts";    // single members start again
constexpr const char* job_restarts = "JobRestarts";          // all members start again, in a new attempt
constexpr const char* nothing_restarts = "NothingRestarts";  // False: enough run, or no process that ran has ended

// Stalled is True with no_progress, and False with not_stalled.
constexpr const char* no_progress = "NoProgress";  // no new step within spec.run.progressDeadlineSeconds
constexpr const char* not_stalled = "NotStalled";  // there are new steps, or it does not train, or has no such deadline

// Suspended is True with suspended, and False with draining (above) and the others. Running is False with suspended.
constexpr const char* suspended = "Suspended";  // spec.run.suspend is true; for Suspended also: no process is alive
constexpr const char* not_suspended = "NotSuspended";  // spec.run.suspend was never true
constexpr const char* resumed = "Resumed";             // spec.run.suspend was true before

// Succeeded and Finished.
constexpr const char* training_succeeded = "TrainingSucceeded";  // last step committed; Own: enough exited with 0

// Failed and Finished.
constexpr const char* invalid_spec = "InvalidSpec";  // the spec cannot be run; the message says why
constexpr const char* user_error = "UserError";      // a member found a mistake that a retry would find again
constexpr const char* backoff_limit_exceeded = "BackoffLimitExceeded";  // it needs more restarts than it may have
constexpr const char* failure_rule = "FailureRule";                     // a rule of spec.run.failureRules fails the job
constexpr const char* start_deadline_exceeded = "StartDeadlineExceeded";        // spec.run.startDeadlineSeconds
constexpr const char* deadline_exceeded = "DeadlineExceeded";                   // spec.run.activeDeadlineSeconds
constexpr const char* progress_deadline_exceeded = "ProgressDeadlineExceeded";  // stalled, with no restart left
constexpr const char* checkpoint_taken = "CheckpointTaken";  // another job owns spec.checkpoint.folder
constexpr const char* checkpoint_lost = "CheckpointLost";    // the last commit is no longer in spec.checkpoint.folder

// Why other conditions are False.
constexpr const char* finished = "Finished";         // Running, Restarting, Stalled and Suspended of a finished job
constexpr const char* not_finished = "NotFinished";  // Succeeded, Failed and Finished of a job that has not finished

// The reasons of events; no condition has them.
constexpr const char* unreadable = "Unreadable";  // the status cannot be read: another release or client wrote it
constexpr const char* definition_outdated = "DefinitionOutdated";  // the API's definition of TrainingJob lacks a field

}  // namespace carrack::control::reasons
