// The coordinator's side of the checkpoint folder: its claim on HEAD, the last commit it finds there or in the folder
// that it goes on from, and the commits that it makes of what the servers saved.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "dataloader/storage/storages.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/launch/exit.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// A manifest's commit as the coordinator counts: batches over all epochs.
Commit commit_of(const checkpoint::Committed& committed, const checkpoint::Manifest& manifest,
                 std::uint64_t batches_per_epoch);

class CommitStore {
 public:
  // All but `nonce` outlive this.
  CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce);

  // Takes HEAD. Nothing: it is ours, and last_commit() says where the job stands. Else how this process ends.
  // Throws, for the user, where the job is to go on from another's checkpoint and cannot, HEAD being then as it was;
  // and where its own last commit was trained on other data.
  std::optional<Exit> claim(FoundData data);
  const Commit& last_commit() const { return last_; }

  // Whether HEAD is still this process's; a later start of this coordinator takes it without a word.
  bool still_claimed();

  // Nothing: the right to commit was lost to a later start of this coordinator.
  std::optional<Commit> commit(const FinishedCut& cut);

 private:
  std::optional<checkpoint::Committed> resumed_so_far();
  void require_same_data(const checkpoint::Manifest& manifest) const;
  checkpoint::Manifest manifest_of(const FinishedCut& cut, const checkpoint::Bundle& bundle) const;

  const Launch& launch_;
  const Setup& setup_;
  const data::Storages& storages_;
  checkpoint::CheckpointFolder folder_;
  std::string nonce_;
  std::uint64_t writes_ = 0;
  FoundData data_;
  std::uint32_t servers_;
  checkpoint::Claim claim_;
  Commit last_;
};

}  // namespace carrack::train
