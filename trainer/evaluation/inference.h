// Computes the outputs of a model, and the losses of records. Not thread-safe.
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
  // Computes on so many threads, one of which is the caller's, with about `memory` bytes besides parameters and
  // records. Throws Error, with Blame::user, if not even one record fits.
  Inference(const Config& config, Losses losses, std::uint64_t memory, int threads);

  // Of how many records a batch may be.
  std::int64_t rows_max() const { return rows_max_; }

  const ModelTask& task() const { return task_; }
  // The features that records must have, in the order of the columns that run() takes. Images are not changed at
  // random.
  const std::vector<Feature>& features() const { return features_; }

  // Of records with these parameters, which are laid out as layout_of() says. The results below are valid until the
  // next call, while `rows` lives. Throws Error, with Blame::user, for a record whose class or number does not exist.
  void run(std::span<const float> parameters, const data::Rows& rows);

  std::span<const float> outputs() const { return executor_.elements(output_); }
  // One for each record; empty without losses.
  std::span<const float> losses() const;
  // What the loss compares the outputs with; nullopt without losses, or if the task has no target.
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
