#include "operator/core/validate.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include "operator/core/problems.h"
#include "operator/core/validate_data.h"
#include "trainer/launch/quantity.h"

namespace carrack::control {
namespace {

using namespace train;

constexpr std::size_t max_quantity = 17;
constexpr int max_replicas = 1000;  // three digits in a process name
constexpr std::size_t max_name = 63;
constexpr int max_lanes = 65'536;
constexpr std::int64_t max_batch = 2'147'483'647;
// What float32, in which updates are computed, holds with room to spare on both sides.
constexpr double least_factor = 1e-30, max_factor = 1e30;

bool is_label(const std::string& name) {
  const auto is_inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= max_name && std::all_of(name.begin(), name.end(), is_inner) &&
         name.front() >= 'a' && name.back() != '-';
}

void check_replicas(const Replicas& replicas, const std::string& field, int least, Problems& problems) {
  problems.expect(replicas.min >= least, field, "min is " + number(replicas.min) + "; at least " + number(least));
  problems.expect(replicas.max >= replicas.min, field,
                  "max is " + number(replicas.max) + ", below min " + number(replicas.min));
  problems.expect(replicas.max <= max_replicas, field,
                  "is " + number(replicas.max) + "; at most " + number(max_replicas));
}

// A subset of what Kubernetes takes: whole or decimal, more than nothing, with one of its suffixes.
bool is_processors(const std::string& text) {
  const bool is_milli = text.ends_with('m');
  const std::string amount = text.substr(0, text.size() - (is_milli ? 1 : 0));
  return text.size() <= max_quantity && amount.find_first_not_of("0123456789.") == amount.npos &&
         parse_quantity(amount);
}

void check_requests(const Requests& requests, const std::string& field, Problems& problems) {
  problems.expect(requests.cpu.empty() || is_processors(requests.cpu), field + ".cpu",
                  "'" + requests.cpu + "' is no quantity of processors; write 2, 0.5 or 500m");
  if (!requests.memory.empty()) check_memory(requests.memory, field + ".memory", problems);
}

void check_strategy(const Config& config, Problems& problems) {
  if (config.strategy == Strategy::single) {
    problems.expect(config.ps == Replicas{}, "spec.replicas.ps", "Single has no parameter servers; leave it out");
    problems.expect(config.workers == Replicas{1, 1}, "spec.replicas.worker",
                    "Single is one process; leave it out, or use strategy ParameterServer");
    return;
  }
  check_replicas(config.ps, "spec.replicas.ps", 1, problems);
  problems.expect(config.ps.min == config.ps.max, "spec.replicas.ps",
                  "min and max differ; parameter servers do not scale while a job runs, give count");
  check_replicas(config.workers, "spec.replicas.worker", 1, problems);
}

void check_optimizer(const Optimizer& optimizer, Problems& problems) {
  const std::string field = "spec.training.optimizer";
  const double rate = std::visit([](const auto& rule) { return rule.learning_rate; }, optimizer);
  const auto expect_factor = [&](double factor, const std::string& name) {
    problems.expect(factor >= least_factor && factor <= max_factor, field + name, "must be from 1e-30 to 1e30");
  };
  expect_factor(rate, ".learningRate");
  if (const auto* adam = std::get_if<Adam>(&optimizer)) {
    problems.expect(adam->beta1 >= 0 && adam->beta1 < 1, field + ".beta1", "must be at least 0 and below 1");
    problems.expect(adam->beta2 >= 0 && adam->beta2 < 1, field + ".beta2", "must be at least 0 and below 1");
    expect_factor(adam->epsilon, ".epsilon");
  }
}

void check_training(const Config& config, Problems& problems) {
  const Training& training = config.training;
  const std::string field = "spec.training.";
  problems.expect(training.batch >= 1, field + "batch", "is " + number(training.batch) + "; at least 1");
  problems.expect(training.batch <= max_batch, field + "batch",
                  "is " + number(training.batch) + "; at most " + number(max_batch));
  problems.expect(training.epochs >= 1, field + "epochs", "is " + number(training.epochs) + "; at least 1");
  problems.expect(training.seed >= 0, field + "seed", "is " + number(training.seed) + "; at least 0");
  const bool power =
      training.lanes >= 1 && training.lanes <= max_lanes && std::has_single_bit(static_cast<unsigned>(training.lanes));
  problems.expect(power, field + "lanes",
                  "is " + number(training.lanes) + ", no power of two up to " + number(max_lanes));
  problems.expect(!power || training.lanes >= config.workers.max, field + "lanes",
                  "is " + number(training.lanes) + ", below the " + number(config.workers.max) +
                      " workers of spec.replicas.worker; each needs a lane");
  problems.expect(!training.deterministic || training.consistency == Consistency::sync, field + "deterministic",
                  "is not possible with consistency Async; use Sync");
  check_optimizer(training.optimizer, problems);
}

void check_checkpoint(const Checkpoint& checkpoint, Problems& problems) {
  check_url(checkpoint.folder, "spec.checkpoint.folder", problems);
  problems.expect(checkpoint.every_steps >= 1, "spec.checkpoint.everySteps",
                  "is " + number(checkpoint.every_steps) + "; at least 1");
  if (checkpoint.resume.empty()) return;
  check_url(checkpoint.resume, "spec.checkpoint.resume", problems);
  problems.expect(checkpoint.resume != checkpoint.folder, "spec.checkpoint.resume",
                  "is spec.checkpoint.folder; a job's own restarts always resume, leave it out");
}

}  // namespace

std::vector<Problem> problems_in(const JobSpec& spec, const ModelCheck& check_model) {
  Problems problems;
  problems.expect(is_label(spec.name), "metadata.name",
                  "'" + spec.name + "' is no DNS label: a letter, then letters, digits and '-', at most 63, all small");
  problems.expect(spec.backoff_limit >= 0 && spec.backoff_limit <= 99, "spec.backoffLimit",
                  "is " + number(spec.backoff_limit) + "; from 0 to 99");
  problems.expect(spec.drain >= seconds(1) && spec.drain <= std::chrono::hours(24), "spec.drainSeconds",
                  "is " + number(spec.drain.count()) + "; from 1 to 86400");
  check_strategy(spec.config, problems);
  check_requests(spec.ps_requests, "spec.replicas.ps.requests", problems);
  check_requests(spec.worker_requests, "spec.replicas.worker.requests", problems);
  problems.add(check_model(spec.config));
  check_data(spec.config.data, problems);
  check_training(spec.config, problems);
  check_checkpoint(spec.config.checkpoint, problems);
  return problems.found();
}

std::string text_of(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : "\n") + problem.field + ": " + problem.text;
  return text;
}

}  // namespace carrack::control
