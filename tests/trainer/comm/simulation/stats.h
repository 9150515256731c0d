// What happened in simulated runs. Tests require that kills, lost commits, loads and so on did happen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>

#include "tests/trainer/comm/simulation/schedule.h"

namespace carrack::train::simulation {

struct Stats {
  std::uint64_t commits = 0;
  std::uint64_t commits_lost = 0;  // another process had changed HEAD
  std::uint64_t loads = 0;
  std::uint64_t computed = 0;
  std::uint64_t kills = 0;
  std::uint64_t pauses = 0;
  std::uint64_t superseded = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t drained = 0;                         // suspensions after which nothing was uncommitted
  std::uint64_t failed = 0;                          // jobs whose data had changed
  std::uint64_t ends_found = 0;                      // ends of a first pass, found by workers
  std::uint64_t totals_told = 0;                     // to coordinators that did not know the number of batches
  std::uint64_t norms = 0;                           // totals that servers received
  std::uint64_t hung_workers = 0, hung_servers = 0;  // that were named
  std::uint64_t standstills = 0;                     // of coordinators, for longer than a minute
  std::uint64_t stale = 0;       // batches in Async whose gradients were older than the parameters they were applied to
  std::uint64_t pushes_cut = 0;  // pushes whose stream ended between two of their pieces
  std::uint64_t events = 0;
  std::uint64_t frames_under_way = 0;  // the maximum
  Time finished_after_calm = 0;        // the longest time

  Stats& operator+=(const Stats& other) {
    for (const auto count : {&Stats::commits, &Stats::commits_lost, &Stats::loads, &Stats::computed, &Stats::kills,
                             &Stats::pauses, &Stats::superseded, &Stats::suspensions, &Stats::drained, &Stats::failed,
                             &Stats::ends_found, &Stats::totals_told, &Stats::norms, &Stats::stale, &Stats::pushes_cut,
                             &Stats::hung_workers, &Stats::hung_servers, &Stats::standstills, &Stats::events})
      this->*count += other.*count;
    frames_under_way = std::max(frames_under_way, other.frames_under_way);
    finished_after_calm = std::max(finished_after_calm, other.finished_after_calm);
    return *this;
  }

  friend std::ostream& operator<<(std::ostream& out, const Stats& stats) {
    return out << stats.commits << " commits (" << stats.commits_lost << " lost to another coordinator), "
               << stats.loads << " loads, " << stats.computed << " gradients, " << stats.kills << " kills, "
               << stats.pauses << " stops, " << stats.superseded << " zombies sent away, " << stats.suspensions
               << " suspensions (" << stats.drained << " drained), " << stats.pushes_cut << " pushes cut, "
               << stats.events << " events; at most " << stats.frames_under_way
               << " frames under way on a stream, the last job ended " << stats.finished_after_calm / second
               << " s after the last fault";
  }
};

}  // namespace carrack::train::simulation
