// Computes the outputs of a model, and the losses of records, without gradients. Not thread-safe.
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
  // Computes on `threads` threads, one of which is the caller's. The results of the model's operators take at most
  // `memory` bytes. Throws Error with Blame::user if a single record needs more, and for a model of kind Own.
  Inference(const Config& config, Losses losses, std::uint64_t memory, int threads);

  // The maximum number of records that run() takes; at least 1.
  std::int64_t rows_max() const { return rows_max_; }

  const ModelTask& task() const { return task_; }
  // The features that records must have, in the order of the columns that run() takes. Their images are read without
  // random crops and mirroring.
  const std::vector<Feature>& features() const { return features_; }

  // Computes `rows`, at most rows_max(), with these parameters, which have the layout of layout_of(). The functions
  // below return the results, which are valid until the next call, while `parameters` and `rows` exist. Throws Error
  // with Blame::user for a record with a class or an index (of an Embedding, for example) that the model does not have;
  // the results are then undefined.
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
