// The range of a parameter server in storage: its initial values, loading it from a checkpoint, and saving it.
#pragma once

#include "dataloader/storage/storages.h"
#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// Members throw data::Error if the storage fails.
class ShardStore {
 public:
  // All of them must outlive this.
  ShardStore(const Launch& launch, const Setup& setup, const data::Storages& storages);

  // The state in the checkpoint that `from` names, or the initial state if it names none, for which the folder must
  // have the statistics that the model needs, and spec.training.initialWeights.from the weights. Throws Error if
  // checkpoint or statistics cannot be used, with Blame::platform if a later commit has replaced the checkpoint. After
  // the first load the process holds the memory that steps and a save take, so none of them waits for the system to
  // give it, unless the gradients of many workers arrive at once.
  ShardState load(const wire::Load& from);
  // May run on another thread at the same time as load(). Throws Error, with Blame::user, if a parameter or a state of
  // the optimizer is not finite.
  wire::Saved save(const wire::Cut& cut, const ShardState& state);

 private:
  std::vector<std::shared_ptr<Floats>> optimizer_state(std::size_t size) const;  // before step 1
  ValuesOfData values_of_data(const std::string& order);
  ShardState initial(const wire::Load& from);
  ShardState loaded(const wire::Load& from);
  void hold_memory();
  bool is_replaced(const std::string& manifest);
  ShardState stored(const wire::Load& from) const;
  void require_finite(const ShardState& state) const;
  void read(const std::string& folder, const checkpoint::StoredBundle& bundle, const std::string& tensor,
            const Slice& slice, std::span<float> values) const;

  const Launch& launch_;
  const Setup& setup_;
  const data::Storages& storages_;
  checkpoint::CheckpointFolder folder_;
  std::uint32_t server_;
  Range range_;
  std::vector<Slice> slices_;
  bool holds_memory_ = false;  // used by load() only
};

}  // namespace carrack::train
