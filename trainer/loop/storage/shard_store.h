// A parameter server's range in storage: how it begins, how it is read back from a checkpoint, how it is saved.
#pragma once

#include "dataloader/storage/storages.h"
#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

class ShardStore {
 public:
  // All of them outlive this.
  ShardStore(const Launch& launch, const Setup& setup, const data::Storages& storages);

  // What `from` names: a checkpoint, or where there is none the initial values.
  ShardState load(const wire::Load& from);
  // Safe on a thread of its own, beside load(). Throws, for the user, for numbers that have run away.
  wire::Saved save(const wire::Cut& cut, const ShardState& state);

 private:
  ShardState initial() const;
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
};

}  // namespace carrack::train
