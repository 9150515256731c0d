// What the model of a checkpoint computes for the records of files: for `carrack predict`, and for jobs that evaluate
// their checkpoints.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dataloader/records/corrupt.h"
#include "dataloader/storage/storages.h"
#include "trainer/evaluation/metrics.h"
#include "trainer/loop/storage/stored_model.h"
#include "trainer/models/model.h"

namespace carrack::train {

struct PredictRequest {
  std::vector<std::string> files;  // URLs or paths, in which a name may hold `*`
  Losses losses = Losses::computed;
  OnDamage on_damage = OnDamage::stop;
  // Called with a line for each record, in the order of the files' names and of their records, by several threads but
  // never by two at once. Empty: only the metrics are wanted.
  std::function<void(std::string_view line)> print = {};
  // Called at the end if records were left out, with their number and the first of them.
  std::function<void(std::uint64_t, const data::Corrupt&)> skipped = [](std::uint64_t, const data::Corrupt&) {};
  // Called again and again; what it throws ends predict().
  std::function<void()> check_cancelled = [] {};
};

// Of what a process may use, how much predict() uses.
struct PredictLimits {
  std::uint64_t memory = 0;  // in bytes, besides the model's parameters
  unsigned cpus = 1;
};

// Computes the model for all records of the files. Returns the metrics of all of them; without losses only their
// number. Records that cannot be used are left out with OnDamage::skip. Throws Error, with Blame::user, if such a
// record is not left out, or if all are; data::Error if storage fails.
MetricValues predict(const StoredModel& model, const PredictRequest& request, const data::Storages& storages,
                     const PredictLimits& limits);

// Reads the first records of the files. Throws as predict() for a model of this configuration that computes losses and
// its data.on_damage, if they lack what it needs, or if there are none.
void require_records(const Config& config, const std::vector<std::string>& files, const data::Storages& storages,
                     const PredictLimits& limits);

}  // namespace carrack::train
