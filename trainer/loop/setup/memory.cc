#include "trainer/loop/setup/memory.h"

#include <algorithm>
#include <cstdio>

#include "trainer/error.h"
#include "trainer/launch/quantity.h"
#include "trainer/models/check.h"

namespace carrack::train {
namespace {

// Also of numbers that do not fit into 64 bits.
std::string integer_text(double number) {
  char text[400];
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

std::uint64_t size_of(FeatureType type) {
  switch (type) {
    case FeatureType::float32:
    case FeatureType::uint8:
      return sizeof(float);
    case FeatureType::int64:
      return sizeof(std::int64_t);
  }
  throw Error(Blame::bug, "a feature of no type");
}

// A worker has the parameters as received and as used, and the sum of gradients.
double bytes_of_parameters(const Setup& setup) {
  return 3.0 * sizeof(float) * static_cast<double>(setup.layout.size());
}

double bytes_of_caches(const std::vector<Stage>& stages) {
  double bytes = 0;
  for (const Stage& stage : stages) {
    const auto* cache = std::get_if<Cache>(&stage);
    if (cache != nullptr) bytes += static_cast<double>(parse_quantity(cache->memory).value());
  }
  return bytes;
}

double bytes_of_caches(const Data& data) {
  double bytes = bytes_of_caches(data.stages);
  for (const MixedSet& set : data.mix) bytes += bytes_of_caches(set.stages);
  return bytes;
}

void require(const std::string& field, const std::string& role, double needed, std::uint64_t bytes,
             const std::string& advice) {
  if (needed <= static_cast<double>(bytes)) return;
  throw Error(Blame::user, field + ": a " + role + " takes at least " + integer_text(needed) +
                               " bytes of memory, and has " + std::to_string(bytes) + "; " + advice);
}

}  // namespace

void require_server_fits(const Setup& setup, std::size_t server, std::uint64_t bytes) {
  // The parameters, the parameters after the next update, the sum of gradients, and the states of the optimizer.
  const auto copies = static_cast<double>(3 + state_names(setup.optimizer).size());
  require("spec.model", "parameter server",
          copies * sizeof(float) * static_cast<double>(setup.ranges.at(server).size()), bytes,
          "give it more, use more parameter servers in spec.replicas.ps, or a smaller model");
}

std::uint64_t bytes_of_row(const Setup& setup) {
  std::uint64_t bytes = 0;
  for (const Feature& feature : setup.model.features) {
    bytes += static_cast<std::uint64_t>(feature.size) * size_of(feature.type);
  }
  return bytes;
}

std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, std::uint64_t bytes) {
  const double left = static_cast<double>(bytes) - bytes_of_parameters(setup) - bytes_of_caches(config.data);
  return static_cast<std::uint64_t>(std::clamp(left, 0.0, static_cast<double>(bytes) / 2));
}

void require_worker_fits(const Setup& setup, const Config& config, std::uint64_t records, std::uint64_t bytes) {
  const double parameters = bytes_of_parameters(setup);
  require("spec.model", "worker", parameters, bytes, "give it more, or use a smaller model");
  const std::uint64_t rows = std::min(static_cast<std::uint64_t>(config.training.batch), records);
  const auto row = static_cast<double>(bytes_of_row(setup));
  const std::string advice = "give it more, or use a smaller batch";
  const double cached = bytes_of_caches(config.data);
  require(config.data.mix.empty() ? "spec.data.train.stages" : "spec.data.train.mix", "worker", parameters + cached,
          bytes, "give it more, or cache less");
  const double batch = parameters + cached + row * static_cast<double>(rows);
  require("spec.training.batch", "worker", batch, bytes, advice);
  // Planned last: for batches that fit, its numbers do not overflow.
  const auto sizes = check(config.model, config.data, static_cast<std::int64_t>(rows));
  require("spec.training.batch", "worker", batch + static_cast<double>(std::get<ModelSizes>(sizes).workspace_bytes),
          bytes, advice);
}

}  // namespace carrack::train
