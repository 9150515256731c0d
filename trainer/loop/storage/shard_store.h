// The range of a parameter server in storage: makes its initial values, loads it from a checkpoint, and saves it.
#pragma once

#include "dataloader/storage/storages.h"
#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// All functions throw data::Error if the storage fails. Not thread-safe, except as save() says.
class ShardStore {
 public:
  // All arguments must outlive this.
  ShardStore(const Launch& launch, const Setup& setup, const data::Storages& storages);

  // Returns the state in the checkpoint that `from` names. If it names none, returns the initial state, which takes
  // statistics from the checkpoint folder and weights from spec.training.initialWeights.from, if the job has them.
  // Throws Error with Blame::user if any of these cannot be used, and with Blame::platform if a later commit or another
  // coordinator has replaced them.
  //
  // The first call allocates the memory that steps and a save will take, and frees it again, so that they rarely have
  // to wait for the system to provide it.
  ShardState load(const wire::Load& from);
  // Writes the shard of a cut, and returns the report for the coordinator. May run on another thread at the same time
  // as load(). Throws Error with Blame::user if a parameter or a value of the optimizer's state is not finite.
  wire::Saved save(const wire::Cut& cut, const ShardState& state);

 private:
  std::vector<std::shared_ptr<Floats>> optimizer_state(std::size_t size) const;  // the state before the first step
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
  bool holds_memory_ = false;  // used only by load()
};

}  // namespace carrack::train
