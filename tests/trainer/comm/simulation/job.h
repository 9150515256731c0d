// What a simulated run trains, and what must come out of it.
// Tally: parameter i counts how often record i was used; exact, so that every commit can be held against its own claim.
// Rounding: gradients of many bits that depend on the parameters, under Adam; one sum in another order changes the
// result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/trainer/comm/simulation/random.h"
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
  std::uint64_t batches_per_cut = 3;
  std::uint64_t records_added = 0;  // At the front, once the data has changed: all others are further back.
  std::uint64_t resumed_at = 0;     // The batches in another job's commit that it goes on from; zero: it begins anew.
  // Where its first epoch is a first pass: the records of each file, by lane, that nobody knows before they are read.
  std::vector<std::vector<std::uint64_t>> streams = {};
  std::vector<ServerRange> ranges;

  std::uint64_t batches_per_epoch() const { return (records + batch - 1) / batch; }
  bool first_pass() const { return !streams.empty(); }
  std::uint64_t share(std::uint64_t lane) const;
  std::uint64_t records_in(std::uint64_t lane) const;
  std::uint64_t steps_of_first_pass() const;
  std::uint64_t total_batches() const { return total_after(steps_of_first_pass()); }
  // Where its first epoch has so many steps.
  std::uint64_t total_after(std::uint64_t first) const { return first + batches_per_epoch() * (epochs - 1); }
  Optimizer optimizer() const;
  std::string data() const {
    return std::string(first_pass() ? "a first pass of " : "") + (records_added == 0 ? "the data" : "other data");
  }
};

Job job_from(Random& random);
// The same in Sync, with other records.
Job with_first_pass(Job job, Random& random);
// The same job as those see it who know nothing of a first pass.
Job without_first_pass(Job job);

// One for each subtree that these lanes fall into. Of a job with a first pass: for somebody who takes the batch for one
// of it, or who believes that it had so many steps.
std::vector<Gradient> gradients_of(const Job& job, const std::vector<float>& parameters, std::uint64_t batch,
                                   Range lanes, std::optional<std::uint64_t> first_pass_had = {});
// That, as it is.
std::optional<std::uint64_t> first_pass_before(const Job& job, std::uint64_t batch);

// The flat buffer and the optimizer's state.
struct Buffers {
  std::vector<float> parameters;
  std::vector<std::vector<float>> optimizer;
};

Buffers initial(const Job& job);

// Trains alone, in order, without servers: what Sync must equal bit by bit.
class Reference {
 public:
  explicit Reference(const Job& job) : job_(job), after_{initial(job)} {}
  const Buffers& after(std::uint64_t version);

 private:
  const Job& job_;
  std::vector<Buffers> after_;
};

// Tally: what the buffer holds once these batches are applied.
std::vector<float> tally_of(const Job& job, const Runs& applied);

}  // namespace carrack::train::simulation
