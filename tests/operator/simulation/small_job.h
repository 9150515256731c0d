// The job of simulated worlds.
#pragma once

#include <string>

#include "operator/core/job.h"

namespace carrack::simulation {

// A coordinator, a parameter server and a worker that count ten batches.
inline control::JobSpec small_job(const std::string& name) {
  control::JobSpec spec;
  spec.name = name;
  spec.run.backoff_limit = 1;
  spec.run.drain = control::seconds(20);
  spec.config.strategy = train::Strategy::parameter_server;
  spec.config.ps = {1, 1};
  spec.config.workers = {1, 1};
  spec.config.model = train::Tally{"record", 100};
  spec.config.data = {{"data/*.tfrecord"}, {{"record", train::FeatureType::int64, 1}}};
  spec.config.training.batch = 10;
  spec.config.training.optimizer = train::Sgd{1.0};
  spec.config.training.reduction = train::Reduction::sum;
  spec.config.checkpoint.folder = "checkpoints";
  return spec;
}

}  // namespace carrack::simulation
