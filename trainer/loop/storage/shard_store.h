// ShardStore: loads and saves the range of the model's parameters that one parameter server owns, with its optimizer
// state. It reads them from a checkpoint, or makes their initial values, and writes them to the server's file of a
// checkpoint, its shard. It carries out the coordinator's messages Load and Cut.
#pragma once

#include <functional>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// All functions throw data::Error if the storage fails. Not thread-safe, but see save().
class ShardStore {
 public:
  // Reads nothing. The index of the server is launch.member.index. All arguments must outlive this.
  ShardStore(const Launch& launch, const Setup& setup, const data::Storages& storages);

  // Returns this server's range of the checkpoint that `from` names. If it names none, returns the state before the
  // first step: initial values, with the statistics of the data from the checkpoint folder and the weights of
  // spec.training.initialWeights, if the job has them. Throws Error with Blame::user if any of these cannot be used,
  // and with Blame::platform if a later commit or another coordinator has replaced them, so that a retry helps.
  //
  // The first call also allocates the memory that steps and a save will need, and frees it again. So the operating
  // system has provided it before training begins.
  //
  // Calls `progressed` for each piece that it reads, on the calling thread.
  ShardState load(
      const wire::Load& from, const std::function<void()>& progressed = [] {});
  // Returns the URL from which load() reads.
  const std::string& source_of(const wire::Load& from) const;
  // Writes `state` to this server's file of the cut (a version that all servers save), and returns the report for the
  // coordinator, with checksums. Blocks until it is written. May run on another thread at the same time as load().
  // Throws Error with Blame::user, and writes nothing, if a parameter or a value of the optimizer's state is infinite
  // or NaN. Calls `progressed` before each tensor, on the calling thread.
  wire::Saved save(
      const wire::Cut& cut, const ShardState& state, const std::function<void()>& progressed = [] {});

 private:
  std::vector<std::shared_ptr<Floats>> optimizer_state(std::size_t size) const;  // the state before the first step
  ValuesOfData values_of_data(const std::string& order);
  ShardState initial(const wire::Load& from, const std::function<void()>& progressed);
  ShardState loaded(const wire::Load& from, const std::function<void()>& progressed);
  void use_memory_once();
  bool is_replaced(const std::string& manifest);
  ShardState stored(const wire::Load& from, const std::function<void()>& progressed) const;
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
  bool has_used_memory_ = false;  // used only by load()
};

}  // namespace carrack::train
