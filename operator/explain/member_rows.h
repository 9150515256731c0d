// The members of a job, as a table shows them. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct MemberRow {
  train::Member member;
  std::string state;      // one word: running, pending, resting, ended, leaving, stopped or missing
  bool is_well = false;   // it runs, or has ended as it should
  std::string node = {};  // empty if it has none, or if that is not known
  int restarts = 0;       // within this attempt of the job
  int failures = 0;       // charged since the last commit; of the user's own program, in a row
  std::string why = {};   // why it does not run, or how it ended, in the words of others
};

// In the order of starting: the coordinator, parameter servers, workers. Of a member with several processes the row is
// about the current one, or else the newest.
std::vector<MemberRow> member_rows(const JobView& view);

// The process of the member that its row is about; nullptr if none is known.
const ObservedProcess* newest_process(const JobView& view, const train::Member& member);

// "exit code 82 (PlatformError)"; of the user's own program "exit code 82".
std::string exit_phrase(const JobSpec& spec, const ObservedProcess& process);

// "exit code 137 (signal 9): OOMKilled: LAST WORDS"
std::string end_phrase(const JobSpec& spec, const LastFailure& failure);

// "worker-1, 3 min ago, pod digits-x1y2z-worker-1-0-1, on node n1: exit code 137 (signal 9), OOMKilled: LAST WORDS"
std::string failure_phrase(const JobSpec& spec, const LastFailure& failure, Time now);

}  // namespace carrack::control
