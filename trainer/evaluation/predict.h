// Computes the model of a checkpoint for the records of files: for `carrack predict`, and for jobs that evaluate their
// checkpoints.
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
  std::vector<std::string> files;  // URLs or paths, or patterns of them (Storage::list())
  Losses losses = Losses::computed;
  OnDamage on_damage = OnDamage::stop;
  // Called with a line of JSON, without a line break, for each record: in the order of `files`, of the names that match
  // a pattern, and of the records in a file. Called by several threads, but never by two at once. Empty: no lines.
  std::function<void(std::string_view line)> print = {};
  // Called at the end if records were left out, with their number and the first of them.
  std::function<void(std::uint64_t, const data::Corrupt&)> skipped = [](std::uint64_t, const data::Corrupt&) {};
  // Called repeatedly; an exception that it throws ends predict().
  std::function<void()> check_cancelled = [] {};
};

// The resources that predict() may use.
struct PredictLimits {
  std::uint64_t memory = 0;  // in bytes, besides the model's parameters
  unsigned cpus = 1;
};

// Computes the model for all records of the files and returns their metrics; with Losses::left_out only the number of
// records. With OnDamage::skip records that cannot be read are left out. Throws Error with Blame::user for a record
// that cannot be used and is not left out, and if all were left out; data::Error if storage fails.
MetricValues predict(const StoredModel& model, const PredictRequest& request, const data::Storages& storages,
                     const PredictLimits& limits);

// Checks before a job begins that predict() can evaluate its model on these files. Reads the first records, and throws
// what predict() would throw while it reads them with Losses::computed and config.data.on_damage. Also throws Error
// with Blame::user if there are no records. Does not run the model.
void require_records(const Config& config, const std::vector<std::string>& files, const data::Storages& storages,
                     const PredictLimits& limits);

}  // namespace carrack::train
