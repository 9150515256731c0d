#include "tests/trainer/comm/simulation/job.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "trainer/optimizer/gradient_norm.h"

namespace carrack::train::simulation {
namespace {

using Records = std::vector<std::size_t>;

// An epoch begins three records later than the one before. `batch` counts over epochs of whole batches.
Records records_of_lane(const Job& job, std::uint64_t batch, int lane) {
  const std::uint64_t epoch = batch / job.batches_per_epoch();
  const std::uint64_t begin = batch % job.batches_per_epoch() * job.batch;
  const std::uint64_t size = std::min(job.batch, job.records - begin);
  const Range own = equal_part(static_cast<std::int64_t>(size), job.lanes, lane);
  Records records;
  for (auto i = static_cast<std::uint64_t>(own.begin); i < static_cast<std::uint64_t>(own.end); ++i) {
    records.push_back((begin + i + 3 * epoch + job.records_added) % job.records);
  }
  return records;
}

Records records_in_first_pass(const Job& job, std::uint64_t batch, std::size_t lane) {
  std::uint64_t before = 0;  // records of the lanes before
  for (std::size_t i = 0; i < lane; ++i) before += job.records_in(i);
  Records records;
  const std::uint64_t end = std::min((batch + 1) * job.share(lane), job.records_in(lane));
  for (std::uint64_t i = batch * job.share(lane); i < end; ++i) records.push_back(before + i);
  return records;
}

using OfLane = std::function<Records(int lane)>;

OfLane records_of(const Job& job, std::uint64_t batch, std::optional<std::uint64_t> first_pass_had) {
  return [&job, batch, first_pass_had](int lane) {
    if (!job.first_pass()) return records_of_lane(job, batch, lane);
    if (!first_pass_had) return records_in_first_pass(job, batch, static_cast<std::size_t>(lane));
    return records_of_lane(job, batch - *first_pass_had + job.batches_per_epoch(), lane);
  };
}

// Between -1 and 1, using all bits of a float.
float noise(std::uint64_t record, std::uint64_t element) {
  const auto bits = static_cast<std::int32_t>(Random::mixed(record * 1009 + element + 1) >> 32);
  return static_cast<float>(bits) * 0x1p-31f;
}

Floats lane_sum(const Job& job, const Floats& parameters, const Records& records) {
  Floats sum(job.records, 0.0f);
  for (const std::size_t record : records) {
    if (job.kind == Kind::tally) {
      sum[record] -= 1;
      continue;
    }
    for (std::size_t at = 0; at < sum.size(); ++at) {
      sum[at] += noise(record, at) + 0.3f * parameters[(at * 5 + record) % sum.size()];
    }
  }
  return sum;
}

Floats subtree_sum(const Job& job, const Floats& parameters, const OfLane& records, Subtree lanes) {
  if (lanes.size == 1) return lane_sum(job, parameters, records(lanes.begin));
  const int half = lanes.size / 2;
  Floats left = subtree_sum(job, parameters, records, {lanes.begin, half});
  const Floats right = subtree_sum(job, parameters, records, {lanes.begin + half, half});
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
  return left;
}

std::vector<ServerRange> ranges_from(Random& random, std::size_t size, std::uint32_t servers) {
  std::vector<ServerRange> ranges;
  std::size_t begin = 0;
  for (std::uint32_t left = servers; left > 0; --left) {
    const std::size_t own = left == 1 ? size - begin : random.between(1, size - begin - (left - 1));
    ranges.push_back({begin, own});
    begin += own;
  }
  return ranges;
}

}  // namespace

Optimizer Job::optimizer() const {
  if (kind == Kind::tally) return Sgd{1};
  return Adam{.learning_rate = 0.05};
}

Training Job::training() const {
  Training training{.lanes = static_cast<int>(lanes),
                    .optimizer = optimizer(),
                    .consistency = sync ? Consistency::sync : Consistency::async,
                    .reduction = kind == Kind::rounding ? Reduction::mean : Reduction::sum};
  if (clip_norm) training.clip = Clip{.norm = clip_norm};
  return training;
}

Job job_from(Random& random) {
  Job job;
  job.sync = random.chance(500);
  job.kind = job.sync && random.chance(500) ? Kind::rounding : Kind::tally;
  job.servers = static_cast<std::uint32_t>(random.between(1, 3));
  job.workers = static_cast<std::uint32_t>(random.between(1, 3));
  job.lanes = 1u << random.between(2, 3);
  job.records = random.between(6, 16);
  job.batch = random.between(1, 6);
  job.epochs = random.between(1, 6);
  job.batches_per_cut = random.between(1, 7);
  job.ranges = ranges_from(random, job.records, job.servers);
  return job;
}

Job with_cuts(Job job, std::uint64_t seed) {
  constexpr Time intervals[] = {0, 0, 0, 0, 0, 0, 100 * millisecond, second};
  Random random(Random::mixed(seed + 7));
  const std::uint64_t kind = random.below(3);
  if (kind == 0) job.batches_per_cut.reset();
  if (kind != 1) job.time_per_cut = random.between(1, 600) * millisecond;
  job.cut_interval_min = intervals[random.below(8)];
  job.servers_know_limits = !random.chance(150);
  job.leases = static_cast<std::uint32_t>(random.below(6));
  const std::uint64_t lanes = job.first_pass() ? job.lanes : job.batch;
  if (job.sync && job.kind == Kind::tally && random.chance(700)) job.lanes_dealt = static_cast<std::uint32_t>(lanes);
  job.workers_know_dealt_lanes = !random.chance(150);
  const bool all_know_norms = job.servers_know_limits && job.workers_know_dealt_lanes;
  if (job.sync && job.kind == Kind::rounding && all_know_norms && random.chance(600)) {
    job.clip_norm = random.chance(500) ? 0.5 : 1.5;
  }
  if (!job.sync && random.chance(500)) job.batches_ahead_max = random.below(7);
  return job;
}

Job with_first_pass(Job job, Random& random) {
  job.sync = true;
  job.streams.resize(job.lanes);
  job.records = 0;
  for (std::uint64_t lane = 0; lane < job.lanes; ++lane) {
    for (std::uint64_t files = job.share(lane) == 0 ? 0 : random.between(1, 3); files > 0; --files) {
      job.streams[lane].push_back(random.between(1, 2 * job.share(lane)));
      job.records += job.streams[lane].back();
    }
  }
  job.servers = static_cast<std::uint32_t>(std::min<std::uint64_t>(job.servers, job.records));
  job.ranges = ranges_from(random, job.records, job.servers);
  return job;
}

Job without_first_pass(Job job) {
  job.streams.clear();
  return job;
}

std::uint64_t Job::share(std::uint64_t lane) const {
  return static_cast<std::uint64_t>(
      equal_part(static_cast<std::int64_t>(batch), lanes, static_cast<std::int64_t>(lane)).size());
}

std::uint64_t Job::records_in(std::uint64_t lane) const {
  return std::accumulate(streams[lane].begin(), streams[lane].end(), std::uint64_t{0});
}

std::uint64_t Job::steps_of_first_pass() const {
  if (!first_pass()) return batches_per_epoch();
  std::uint64_t most = 0;
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    if (records_in(lane) > 0) most = std::max(most, (records_in(lane) - 1) / share(lane) + 1);
  }
  return most;
}

// Tells of every fourth record that it is left out, too. What is summed does not depend on that.
static Skipped skipped_in(const Records& records) {
  Skipped skipped;
  for (const std::size_t record : records) {
    if (record % 4 == 0) add_to(skipped, {1, "record " + std::to_string(record)});
  }
  return skipped;
}

std::uint64_t skipped_by(const Job& job, const BatchSet& applied) {
  std::uint64_t skipped = 0;
  for (const BatchRun& run : applied.list()) {
    for (std::uint64_t batch = run.begin; batch < run.end; ++batch) {
      const OfLane records = records_of(job, batch, first_pass_before(job, batch));
      for (int lane = 0; lane < static_cast<int>(job.lanes); ++lane) skipped += skipped_in(records(lane)).records;
    }
  }
  return skipped;
}

static Gradient sum_over_run(const Job& job, const Floats& parameters, const Worker::Compute& compute,
                             std::optional<std::uint64_t> first_pass_had) {
  const OfLane of_lane = records_of(job, compute.batch, first_pass_had);
  Records records;
  for (int lane = 0; lane < static_cast<int>(job.lanes); ++lane) {
    const bool own = lane >= compute.lanes.begin && lane < compute.lanes.end;
    if (job.first_pass() && !own) continue;
    for (const std::size_t record : of_lane(lane)) records.push_back(record);
  }
  if (!job.first_pass()) {
    const auto end_of = [&](std::int64_t lane) {
      return records.begin() + static_cast<std::ptrdiff_t>(records.size()) * lane / compute.lanes_in_batch;
    };
    records = Records(end_of(compute.lanes.begin), end_of(compute.lanes.end));
  }
  auto sum = std::make_shared<Floats>(lane_sum(job, parameters, records));
  return {.lanes = compute.lanes,
          .sum = std::move(sum),
          .records = records.size(),
          .loss = static_cast<double>(records.size()),
          .skipped = skipped_in(records)};
}

std::vector<Gradient> gradients_of(const Job& job, const Floats& parameters, const Worker::Compute& compute,
                                   std::optional<std::uint64_t> first_pass_had) {
  std::vector<Gradient> gradients;
  if (compute.lanes_in_batch != 0) {
    gradients.push_back(sum_over_run(job, parameters, compute, first_pass_had));
  } else {
    const OfLane records = records_of(job, compute.batch, first_pass_had);
    for (const Subtree subtree : aligned_subtrees(compute.lanes)) {
      Gradient gradient{.lanes = {subtree.begin, subtree.begin + subtree.size}, .sum = {}};
      for (int lane = subtree.begin; lane < subtree.begin + subtree.size; ++lane) {
        gradient.records += records(lane).size();
        add_to(gradient.skipped, skipped_in(records(lane)));
      }
      gradient.loss = static_cast<double>(gradient.records);
      gradient.sum = std::make_shared<Floats>(subtree_sum(job, parameters, records, subtree));
      gradients.push_back(std::move(gradient));
    }
  }
  for (Gradient& gradient : gradients) gradient.first_pass = job.first_pass() && !first_pass_had;
  return gradients;
}

std::optional<std::uint64_t> first_pass_before(const Job& job, std::uint64_t batch) {
  const std::uint64_t steps = job.steps_of_first_pass();
  return job.first_pass() && batch >= steps ? std::optional(steps) : std::nullopt;
}

Buffers initial(const Job& job) {
  Buffers buffers{Floats(job.records, 0.0f), {}};
  for (std::size_t i = 0; job.kind == Kind::rounding && i < job.records; ++i) buffers.parameters[i] = noise(0, i);
  buffers.optimizer.resize(state_names(job.optimizer()).size(), Floats(job.records, initial_state(job.optimizer())));
  return buffers;
}

std::vector<Range> blocks_of_one(std::size_t size) {
  std::vector<Range> blocks;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(size); ++i) blocks.push_back({i, i + 1});
  return blocks;
}

const Buffers& Reference::after(std::uint64_t version) {
  while (after_.size() <= version) {
    Buffers next = after_.back();
    const std::uint64_t batch = after_.size() - 1;
    const Gradient whole =
        gradients_of(job_, next.parameters, {batch, Range{0, job_.lanes}}, first_pass_before(job_, batch)).front();
    std::vector<OptimizerState> state(next.optimizer.begin(), next.optimizer.end());
    const Training training = job_.training();
    Update update{.parameters = next.parameters,
                  .gradient_sum = *whole.sum,
                  .step = static_cast<std::int64_t>(batch) + 1,
                  .state = std::move(state),
                  .updated = next.parameters};
    if (job_.clip_norm) {
      double squares = 0;
      const std::vector<Range> blocks = blocks_of_one(job_.records);
      for (const double one : squares_of_blocks(training, {}, blocks, whole.records, *whole.sum)) squares += one;
      update.gradient.scale = static_cast<float>(norm_scale(training, squares));
    }
    train::apply(training, {}, whole.records, std::move(update));
    after_.push_back(std::move(next));
  }
  return after_[version];
}

Floats tally_of(const Job& job, const BatchSet& applied) {
  Floats counts(job.records, 0.0f);
  for (const BatchRun& run : applied.list()) {
    for (std::uint64_t batch = run.begin; batch < run.end; ++batch) {
      for (int lane = 0; lane < static_cast<int>(job.lanes); ++lane) {
        for (const std::size_t record : records_of_lane(job, batch, lane)) counts[record] += 1;
      }
    }
  }
  return counts;
}

}  // namespace carrack::train::simulation
