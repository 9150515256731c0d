// predict(): computes the outputs of a trained model for the records of TFRecord files, prints them as lines of JSON,
// and returns the metrics. `carrack predict` uses it, and jobs that evaluate their checkpoints, without lines.
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
  // Called for each record with a line of JSON without a line break (prediction_text.h), in the order of `files` and of
  // the records in each file; files that match a pattern are sorted by name. Called also for all records before one
  // that cannot be used. Called from any of several threads, one call at a time. An exception that it throws ends
  // predict() and passes through. Empty: no lines are made.
  std::function<void(std::string_view line)> print = {};
  // Called at the end, on the calling thread, if records were left out: with their number, and the first of them. Must
  // not be empty.
  std::function<void(std::uint64_t, const data::Corrupt&)> skipped = [](std::uint64_t, const data::Corrupt&) {};
  // Called on the calling thread before each batch is read and before it is computed. An exception that it throws ends
  // predict(). Must not be empty.
  std::function<void()> check_cancelled = [] {};
};

// The resources that predict() may use.
struct PredictLimits {
  std::uint64_t memory = 0;  // in bytes, in addition to the model's parameters
  unsigned cpus = 1;
};

// Computes the model for all records of the files and returns their metrics; with Losses::left_out only
// MetricValues::records. With OnDamage::skip records that cannot be read are left out. Throws as the constructor of
// Inference does (inference.h), and Error with Blame::user if a pattern matches no file, for a record that cannot be
// used and is not left out, and if all were left out; data::Error if storage fails. Files without records are no error.
MetricValues predict(const StoredModel& model, const PredictRequest& request, const data::Storages& storages,
                     const PredictLimits& limits);

// Checks, before a job starts, that predict() can evaluate its model on these files. Reads the first batch, and throws
// what predict() would throw until it has read that batch with Losses::computed and config.data.on_damage. Also throws
// Error with Blame::user if there are no records. Does not run the model. Calls `goes_on`, which must not throw, from
// any thread after each piece that it has read.
void require_records(const Config& config, const std::vector<std::string>& files, const data::Storages& storages,
                     const PredictLimits& limits, const std::function<void()>& goes_on);

}  // namespace carrack::train
