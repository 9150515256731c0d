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
  // Computes on `threads` threads, one of which is the caller's. The results of its operators take at most `memory`
  // bytes. Throws Error with Blame::user if a single record needs more, and for an own model.
  Inference(const Config& config, Losses losses, std::uint64_t memory, int threads);

  // The most records that run() takes; at least 1.
  std::int64_t rows_max() const { return rows_max_; }

  const ModelTask& task() const { return task_; }
  // The features that records must have, in the order of the columns that run() takes. They ask for images that are not
  // changed at random.
  const std::vector<Feature>& features() const { return features_; }

  // Computes `rows` with these parameters, which have the layout of layout_of(). The results of the functions below are
  // valid until the next call, while `rows` lives. Throws Error with Blame::user for a record with a class or a number
  // (of an Embedding, for example) that the model does not have.
  void run(std::span<const float> parameters, const data::Rows& rows);

  std::span<const float> outputs() const { return executor_.elements(output_); }
  // The loss of each record; empty with Losses::left_out.
  std::span<const float> losses() const;
  // The values with which the loss compares the outputs; nullopt with Losses::left_out, or if the task has no target.
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
