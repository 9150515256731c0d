// The job that a simulated run trains, and its expected result.
// Tally: parameter i counts how often record i was used. The counts are exact, so every commit can be checked.
// Rounding: gradients with many bits that depend on the parameters, under Adam: a sum in another order changes the
// result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/trainer/comm/simulation/random.h"
#include "tests/trainer/comm/simulation/schedule.h"
#include "trainer/comm/protocol/runs.h"
#include "trainer/comm/protocol/worker.h"
#include "trainer/optimizer/optimizer.h"

namespace carrack::train::simulation {

enum class Kind { tally, rounding };

struct Job {
  bool sync = true;
  Kind kind = Kind::tally;
  std::uint32_t servers = 1;
  std::uint32_t workers = 1;
  std::uint32_t lanes = 4;
  std::uint64_t records = 8;
  std::uint64_t batch = 3;
  std::uint64_t epochs = 2;
  std::optional<std::uint64_t> batches_per_cut = 3;
  std::optional<Time> time_per_cut = {};
  Time cut_interval_min = 0;
  bool servers_know_limits = true;                      // else the servers are of an earlier release
  std::uint32_t leases = 0;                             // that a worker takes at once; 0: as one of an earlier release
  std::optional<std::uint64_t> batches_ahead_max = {};  // Async: as in CoordinatorSettings
  std::uint32_t lanes_dealt = 0;                        // as in CoordinatorSettings
  bool workers_know_dealt_lanes = true;
  std::optional<double> clip_norm = {};  // only of Rounding, and if no member is of an earlier release
  std::uint64_t records_added = 0;       // in front of all others, once the data has changed
  std::uint64_t resumed_at = 0;          // batches in the commit of another job that it resumes from; 0: it does not
  // If the first epoch is a first pass: the records of each file, by lane. They are not known before they are read.
  std::vector<std::vector<std::uint64_t>> streams = {};
  std::vector<ServerRange> ranges;

  std::uint64_t batches_per_epoch() const { return (records + batch - 1) / batch; }
  bool first_pass() const { return !streams.empty(); }
  std::uint64_t share(std::uint64_t lane) const;
  std::uint64_t records_in(std::uint64_t lane) const;
  std::uint64_t steps_of_first_pass() const;
  std::uint64_t total_batches() const { return total_after(steps_of_first_pass()); }
  // If the first epoch has `first` steps.
  std::uint64_t total_after(std::uint64_t first) const { return first + batches_per_epoch() * (epochs - 1); }
  Optimizer optimizer() const;
  Training training() const;
  std::string data() const {
    return std::string(first_pass() ? "a first pass of " : "") + (records_added == 0 ? "the data" : "other data");
  }
};

Job job_from(Random& random);
// The job with cuts by steps, by time or both, workers that take more leases, and perhaps members of an earlier
// release. Drawn from a generator of its own, so that everything else of a seed does not depend on it.
Job with_cuts(Job job, std::uint64_t seed);
// The job in Sync, with a first pass and other records.
Job with_first_pass(Job job, Random& random);
// The job as processes take it that do not know that it has a first pass.
Job without_first_pass(Job job);

// What a worker sends for this Compute. In a job with a first pass: computed as if the batch were one of the
// pass, or as if the pass had `first_pass_had` steps.
std::vector<Gradient> gradients_of(const Job& job, const Floats& parameters, const Worker::Compute& compute,
                                   std::optional<std::uint64_t> first_pass_had = {});
// How many records these batches tell of as left out.
std::uint64_t skipped_by(const Job& job, const BatchSet& applied);
// The number of steps of the first pass if `batch` is behind it, else nullopt.
std::optional<std::uint64_t> first_pass_before(const Job& job, std::uint64_t batch);

// The flat buffer and the states of the optimizer.
struct Buffers {
  Floats parameters;
  std::vector<Floats> optimizer;
};

Buffers initial(const Job& job);
// Blocks of one element, so that ranges may be cut anywhere.
std::vector<Range> blocks_of_one(std::size_t size);

// Trains in order, without servers. Sync must give the same bits.
class Reference {
 public:
  explicit Reference(const Job& job) : job_(job), after_{initial(job)} {}
  const Buffers& after(std::uint64_t version);

 private:
  const Job& job_;
  std::vector<Buffers> after_;
};

// Tally: the buffer after these batches are applied.
Floats tally_of(const Job& job, const BatchSet& applied);

}  // namespace carrack::train::simulation
