// The members of a job, as a table shows them. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct MemberRow {
  train::Member member;
  // One of: running; pending; leaving, while it is being stopped; ended; resting, until its next start; stopped, as no
  // `carrack run` is at work; missing, if it has no process; started, if no process could be read.
  std::string state;
  bool is_well = false;   // it runs, or has ended as it should
  std::string node = {};  // empty if it has none, or if that is not known
  int restarts = 0;       // within this attempt of the job
  int failures = 0;       // charged since the last commit; of the user's own program, in a row
  std::string why = {};   // why it does not run, or how it ended; may have several lines
};

// A row for each member in the order of starting: the coordinator, parameter servers, workers. If a member has several
// processes, its row is about the newest.
std::vector<MemberRow> member_rows(const JobView& view);

// The member's newest process, which its row is about; nullptr if none is known. Points into `view`.
const ObservedProcess* newest_process(const JobView& view, const train::Member& member);

// "exit code 82 (PlatformError)", "exit code 137 (signal 9)" or "never ran". Exit codes of the user's own program have
// no names. `process` must have exited.
std::string exit_phrase(const JobSpec& spec, const ObservedProcess& process);

// "exit code 137 (signal 9): OOMKilled: LAST WORDS", without the parts that are not known.
std::string end_phrase(const JobSpec& spec, const LastFailure& failure);

// "worker-1, 3 min ago, pod digits-x1y2z-worker-1-0-1, on node n1: exit code 137 (signal 9): OOMKilled: LAST WORDS"
std::string failure_phrase(const JobSpec& spec, const LastFailure& failure, Time now);

}  // namespace carrack::control
