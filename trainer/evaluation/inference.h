// Inference: computes the outputs of a trained model for records, and their losses, without gradients. predict()
// (predict.h) uses it. Call run() for each batch of records, then read the results. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "trainer/evaluation/task.h"
#include "trainer/execution/executor.h"
#include "trainer/launch/config.h"
#include "trainer/loop/setup/feature_values.h"
#include "trainer/models/model.h"

namespace carrack::train {

class Inference {
 public:
  // With Losses::left_out records need no targets, and there are no losses. Computes on the CPU, on `threads` threads,
  // one of which is the caller's. The results of the model's operators take at most `memory` bytes. The records of all
  // batches of rows_max() records that a Reading with as many threads reads ahead take at most as much again, unless
  // single records are larger. Throws Error with Blame::user if the results of a single record need more, and as
  // inference_graph() does (models/model.h), for example for a model of kind Own.
  Inference(const Config& config, Losses losses, std::uint64_t memory, int threads);

  // The maximum number of records in a call of run(); at least 1. It depends on `memory` and `threads`.
  std::int64_t rows_max() const { return rows_max_; }

  // What the outputs mean.
  const ModelTask& task() const { return task_; }
  // The features that records must have, in the order of the columns that run() takes. Their images are read without
  // random crops and mirroring.
  const std::vector<Feature>& features() const { return features_; }

  // Computes the outputs of `rows`, at most rows_max(), whose columns are features() in their order. `parameters` have
  // the layout of layout_of() (models/model.h). The functions below return the results, as views that are valid until
  // the next call of run(), while `parameters` and `rows` exist. Throws Error with Blame::user for a record with a
  // class or an index (of an Embedding, for example) that the model does not have; the results are then undefined.
  void run(std::span<const float> parameters, const data::Rows& rows);

  // The outputs of all records, task().outputs() for each.
  std::span<const float> outputs() const { return executor_.elements(output_); }
  // The loss of each record; empty with Losses::left_out.
  std::span<const float> losses() const;
  // The targets of all records, with which the loss compares the outputs; nullopt with Losses::left_out, or if the task
  // has no target.
  std::optional<FeatureValues> targets() const;

 private:
  Inference(InferenceGraph graph, const Config& config, std::uint64_t memory, int threads);

  std::int64_t rows_max_;
  std::vector<Feature> features_;
  ValueId output_;
  std::optional<ValueId> record_losses_, target_;
  ModelTask task_;
  cpu::ThreadPool threads_;
  Executor executor_;
  std::vector<FeatureValues> inputs_;
};

}  // namespace carrack::train
