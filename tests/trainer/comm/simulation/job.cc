#include "tests/trainer/comm/simulation/job.h"

#include <algorithm>
#include <bit>

namespace carrack::train::simulation {
namespace {

// An epoch begins three records later than the one before.
std::vector<std::size_t> records_of(const Job& job, std::uint64_t batch) {
  const std::uint64_t epoch = batch / job.batches_per_epoch();
  const std::uint64_t begin = batch % job.batches_per_epoch() * job.batch;
  std::vector<std::size_t> records;
  for (std::uint64_t i = begin; i < std::min(job.records, begin + job.batch); ++i) {
    records.push_back((i + 3 * epoch + job.records_added) % job.records);
  }
  return records;
}

// Between -1 and 1, with all bits of a float in use.
float noise(std::uint64_t record, std::uint64_t element) {
  const auto bits = static_cast<std::int32_t>(Random::mixed(record * 1009 + element + 1) >> 32);
  return static_cast<float>(bits) * 0x1p-31f;
}

std::vector<float> lane_sum(const Job& job, const std::vector<float>& parameters,
                            const std::vector<std::size_t>& records, int lane) {
  const Range own = equal_part(static_cast<std::int64_t>(records.size()), job.lanes, lane);
  std::vector<float> sum(job.records);
  for (auto i = static_cast<std::size_t>(own.begin); i < static_cast<std::size_t>(own.end); ++i) {
    if (job.kind == Kind::tally) {
      sum[records[i]] -= 1;
      continue;
    }
    for (std::size_t at = 0; at < sum.size(); ++at) {
      sum[at] += noise(records[i], at) + 0.3f * parameters[(at * 5 + records[i]) % sum.size()];
    }
  }
  return sum;
}

std::vector<float> subtree_sum(const Job& job, const std::vector<float>& parameters,
                               const std::vector<std::size_t>& records, Subtree lanes) {
  if (lanes.size == 1) return lane_sum(job, parameters, records, lanes.begin);
  const int half = lanes.size / 2;
  std::vector<float> left = subtree_sum(job, parameters, records, {lanes.begin, half});
  const std::vector<float> right = subtree_sum(job, parameters, records, {lanes.begin + half, half});
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

std::vector<Gradient> gradients_of(const Job& job, const std::vector<float>& parameters, std::uint64_t batch,
                                   Range lanes) {
  const std::vector<std::size_t> records = records_of(job, batch);
  std::vector<Gradient> gradients;
  for (const Subtree subtree : aligned_subtrees(lanes)) {
    Gradient gradient{subtree, {}, 0, 0};
    for (int lane = subtree.begin; lane < subtree.begin + subtree.size; ++lane) {
      gradient.records +=
          static_cast<std::uint64_t>(equal_part(static_cast<std::int64_t>(records.size()), job.lanes, lane).size());
    }
    gradient.loss = static_cast<double>(gradient.records);
    gradient.sum = std::make_shared<const std::vector<float>>(subtree_sum(job, parameters, records, subtree));
    gradients.push_back(std::move(gradient));
  }
  return gradients;
}

Buffers initial(const Job& job) {
  Buffers buffers{std::vector<float>(job.records), {}};
  for (std::size_t i = 0; job.kind == Kind::rounding && i < job.records; ++i) buffers.parameters[i] = noise(0, i);
  buffers.optimizer.resize(state_names(job.optimizer()).size(), std::vector<float>(job.records));
  return buffers;
}

const Buffers& Reference::after(std::uint64_t version) {
  while (after_.size() <= version) {
    Buffers next = after_.back();
    const std::uint64_t batch = after_.size() - 1;
    const Gradient whole = gradients_of(job_, next.parameters, batch, Range{0, job_.lanes}).front();
    std::vector<std::span<float>> state(next.optimizer.begin(), next.optimizer.end());
    train::apply(job_.optimizer(), Update{.parameters = next.parameters,
                                          .gradient_sum = *whole.sum,
                                          .divisor = job_.kind == Kind::tally ? 1 : static_cast<double>(whole.records),
                                          .step = static_cast<std::int64_t>(batch) + 1,
                                          .state = std::move(state),
                                          .updated = next.parameters});
    after_.push_back(std::move(next));
  }
  return after_[version];
}

std::vector<float> tally_of(const Job& job, const Runs& applied) {
  std::vector<float> counts(job.records);
  for (const BatchRun& run : applied.list()) {
    for (std::uint64_t batch = run.begin; batch < run.end; ++batch) {
      for (const std::size_t record : records_of(job, batch)) counts[record] += 1;
    }
  }
  return counts;
}

}  // namespace carrack::train::simulation
