// The rows of the table of members in `carrack top` and `carrack explain`, and phrases about the ends of processes.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct MemberRow {
  train::Member member;
  // One of these words for the user:
  // - running, pending, ended: the state of its newest process or, if none is known, of its last start;
  // - leaving: its process runs and is being stopped;
  // - resting: its last process has ended, and its next start is not due yet;
  // - stopped: no `carrack run` runs the job;
  // - missing: it should have a process, and has none;
  // - started: the processes could not be read.
  std::string state;
  bool is_well = false;   // it runs, or has ended as it should
  std::string node = {};  // the node of its process; empty if there is none, or if it is not known
  int restarts = 0;       // the number of its restarts within this attempt of the job
  int failures = 0;       // MemberStatus::failures
  std::string why = {};   // why it does not run, or how it ended; may have several lines
};

// Returns a row for each member of the spec or the status: the coordinator, then parameter servers, then workers. If a
// member has several processes, its row is about the newest.
std::vector<MemberRow> member_rows(const JobView& view);

// Returns the process of the member with the highest fence; nullptr if none is known. Points into `view`.
const ObservedProcess* newest_process(const JobView& view, const train::Member& member);

// "exit code 82 (PlatformError)", "exit code 137 (signal 9)" or "never ran". With strategy Own, exit codes have no
// names. `process` must have exited.
std::string exit_phrase(const JobSpec& spec, const ObservedProcess& process);

// "exit code 137 (signal 9): OOMKilled: LAST WORDS". Parts that are not known are left out.
std::string end_phrase(const JobSpec& spec, const LastFailure& failure);

// "worker-1, 3 min ago, pod digits-x1y2z-worker-1-0-1, on node n1: exit code 137 (signal 9): OOMKilled: LAST WORDS"
std::string failure_phrase(const JobSpec& spec, const LastFailure& failure, Time now);

}  // namespace carrack::control
