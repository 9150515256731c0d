#include "operator/core/validate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>

namespace carrack::control {
namespace {

using namespace train;

class Problems {
 public:
  void expect(bool holds, const std::string& field, const std::string& text) {
    if (!holds) found_.push_back({field, text});
  }
  void add(const std::vector<Problem>& problems) { found_.insert(found_.end(), problems.begin(), problems.end()); }
  std::vector<Problem> found() { return std::move(found_); }

 private:
  std::vector<Problem> found_;
};

constexpr std::size_t max_quantity = 17;
constexpr int max_replicas = 1000;  // three digits in a process name
constexpr std::size_t max_name = 63;
constexpr std::size_t max_files = 1000;
constexpr std::size_t max_url = 2048;
constexpr std::size_t max_stages = 50;
constexpr std::int64_t max_at_once = 1'000'000;  // files, or blocks
constexpr std::int64_t max_count = 1'000'000'000;
constexpr std::int64_t max_records = 1'000'000'000'000'000;
constexpr std::size_t max_features = 1000;
constexpr std::size_t max_feature_name = 256;
constexpr int max_lanes = 65'536;
constexpr std::int64_t max_batch = 2'147'483'647;
constexpr double max_exact = 0x1.0p53;  // whole number of a manifest
// What float32, in which updates are computed, holds with room to spare on both sides.
constexpr double least_factor = 1e-30, max_factor = 1e30;

std::string number(auto value) {
  return std::to_string(value);
}

bool is_label(const std::string& name) {
  const auto is_inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= max_name && std::all_of(name.begin(), name.end(), is_inner) &&
         name.front() >= 'a' && name.back() != '-';
}

bool is_plain(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

std::size_t characters_in(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void check_url(const std::string& url, const std::string& field, Problems& problems) {
  problems.expect(!url.empty(), field, "is empty; give a path, file:// or gs://");
  problems.expect(characters_in(url) <= max_url, field, "has more than " + number(max_url) + " characters");
  problems.expect(is_plain(url), field, "holds control characters");
  const std::size_t colon = url.find("://");
  if (colon == std::string::npos) return;
  const std::string scheme = url.substr(0, colon);
  problems.expect(scheme == "file" || scheme == "gs", field,
                  "'" + scheme + "://' cannot be read; there are file:// and gs://");
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
  return text.size() <= max_quantity && amount.find_first_not_of("0123456789.") == amount.npos && bytes_in(amount);
}

void check_memory(const std::string& text, const std::string& field, Problems& problems) {
  problems.expect(bytes_in(text).has_value(), field, "'" + text + "' is no quantity of memory; write 512Mi or 4Gi");
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

void check_stage(const Stage& stage, const std::string& field, Problems& problems) {
  const auto expect_from = [&](std::int64_t value, std::int64_t least, std::int64_t most, const std::string& name) {
    problems.expect(value >= least && value <= most, field + "." + name,
                    "is " + number(value) + "; from " + number(least) + " to " + number(most));
  };
  if (const auto* interleave = std::get_if<Interleave>(&stage)) {
    expect_from(interleave->cycle, 1, max_at_once, "interleave.cycle");
    expect_from(interleave->block, 1, max_count, "interleave.block");
  } else if (const auto* shard = std::get_if<Shard>(&stage)) {
    expect_from(shard->count, 1, max_count, "shard.count");
    expect_from(shard->index, 0, max_count, "shard.index");
    problems.expect(shard->index < shard->count || shard->count < 1, field + ".shard",
                    "index is not below count; shards count from 0");
  } else if (const auto* skip = std::get_if<Skip>(&stage)) {
    expect_from(skip->records, 0, max_records, "skip");
  } else if (const auto* take = std::get_if<Take>(&stage)) {
    expect_from(take->records, 1, max_records, "take");
  } else if (const auto* shuffle = std::get_if<Shuffle>(&stage)) {
    expect_from(shuffle->block, 0, max_count, "shuffle.block");
    expect_from(shuffle->window, 1, max_at_once, "shuffle.window");
  } else if (const auto* repeat = std::get_if<Repeat>(&stage)) {
    expect_from(repeat->times, 1, max_count, "repeat");
  } else if (const auto* cache = std::get_if<Cache>(&stage)) {
    check_memory(cache->memory, field + ".cache.memory", problems);
  } else if (const auto* snapshot = std::get_if<Snapshot>(&stage)) {
    check_url(snapshot->folder, field + ".snapshot.folder", problems);
  }
}

void check_filter(const Filter& filter, const std::vector<Feature>& features, const std::string& field,
                  Problems& problems) {
  const auto feature = std::ranges::find(features, filter.feature, &Feature::name);
  problems.expect(feature != features.end(), field + ".feature",
                  "'" + filter.feature + "' is none of spec.data.features");
  problems.expect(filter.min || filter.max, field, "has no bound; give min, max or both");
  problems.expect(!filter.min || !filter.max || *filter.min <= *filter.max, field,
                  "min is above max; nothing lies between them");
  const bool is_whole = feature != features.end() && feature->type == FeatureType::int64;
  const auto check_bound = [&](const std::optional<double>& bound, const std::string& name) {
    problems.expect(!bound || std::isfinite(*bound), field + name,
                    "is no number; leave it out where there is no bound");
    problems.expect(!bound || !is_whole || std::abs(*bound) <= max_exact, field + name,
                    "is of int64 from -9007199254740992 to 9007199254740992, as far as whole numbers are exact here");
  };
  check_bound(filter.min, ".min");
  check_bound(filter.max, ".max");
}

// First what is not known before it is read, then where it is written down, then all else.
void check_order(const std::vector<Stage>& stages, const std::string& field, Problems& problems) {
  const auto count = [&](StageKind kind) {
    return std::ranges::count_if(stages, [&](const Stage& stage) { return kind_of(stage) == kind; });
  };
  const auto stand_in_turn = [&](const std::vector<StageKind>& kinds) {
    return std::ranges::is_sorted(
        stages, {}, [&](const Stage& stage) { return std::ranges::find(kinds, kind_of(stage)) - kinds.begin(); });
  };
  using enum StageKind;
  problems.expect(
      count(filter) == 0 || count(snapshot) > 0, field,
      "what a filter leaves is not known before it is read; put a snapshot behind it, which writes it down");
  problems.expect(count(snapshot) <= 1, field, "there can be one snapshot");
  problems.expect(count(snapshot) == 0 || stand_in_turn({filter, snapshot}), field,
                  "a snapshot can only be the first stage, or the first behind filters; put all others behind it");
  problems.expect(count(interleave) == 0 || (count(interleave) == 1 && stand_in_turn({filter, snapshot, interleave})),
                  field, "interleave is about files; it can only be the first stage, or the first behind a snapshot");
}

void check_stages(const Data& data, Problems& problems) {
  const std::vector<Stage>& stages = data.stages;
  const std::string field = "spec.data.train.stages";
  problems.expect(stages.size() <= max_stages, field,
                  "names " + number(stages.size()) + " stages; at most " + number(max_stages));
  for (std::size_t at = 0; at < stages.size(); ++at) {
    const std::string place = field + "[" + number(at) + "]";
    check_stage(stages[at], place, problems);
    if (const auto* filter = std::get_if<Filter>(&stages[at]))
      check_filter(*filter, data.features, place + ".filter", problems);
  }
  check_order(stages, field, problems);
}

void check_data(const Data& data, Problems& problems) {
  problems.expect(!data.files.empty(), "spec.data.train.files", "is empty; name the TFRecord files to train on");
  problems.expect(data.files.size() <= max_files, "spec.data.train.files",
                  "names " + number(data.files.size()) + " files; at most " + number(max_files) + ", use *");
  for (std::size_t at = 0; at < data.files.size(); ++at) {
    check_url(data.files[at], "spec.data.train.files[" + number(at) + "]", problems);
  }
  check_stages(data, problems);
  problems.expect(!data.features.empty(), "spec.data.features", "is empty; name what the records hold");
  problems.expect(data.features.size() <= max_features, "spec.data.features",
                  "names " + number(data.features.size()) + " features; at most " + number(max_features));
  const auto is_named = [](const Feature& feature) {
    return !feature.name.empty() && characters_in(feature.name) <= max_feature_name && is_plain(feature.name);
  };
  problems.expect(
      std::all_of(data.features.begin(), data.features.end(), is_named), "spec.data.features",
      "a name is empty, has more than " + number(max_feature_name) + " characters, or holds control characters");
  for (const Feature& feature : data.features) {
    problems.expect(feature.size >= 1, "spec.data.features." + feature.name + ".size",
                    "is " + number(feature.size) + "; at least 1");
  }
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
