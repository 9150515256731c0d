// The coordinator's side of the checkpoint folder: its claim on HEAD, the last commit it finds there or in the folder
// that it goes on from, and the commits that it makes of what the servers saved.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "trainer/comm/coordinator.h"
#include "trainer/loop/setup.h"

namespace carrack::train {

// A manifest's commit as the coordinator counts: batches over all epochs.
Commit commit_of(const checkpoint::Committed& committed, const checkpoint::Manifest& manifest,
                 std::uint64_t batches_per_epoch);

class CommitStore {
 public:
  // All but `nonce` outlive this.
  CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce);

  // Takes HEAD. Nothing: it is ours, and last_commit() says where the job stands. Else how this process ends.
  // Throws, for the user, where the job is to go on from another's checkpoint and cannot; HEAD is then as it was.
  std::optional<Exit> claim(std::uint64_t batches_per_epoch);
  const Commit& last_commit() const { return last_; }

  // Whether HEAD is still this process's; a later start of this coordinator takes it without a word.
  bool still_claimed();

  // Nothing: the right to commit was lost to a later start of this coordinator.
  std::optional<Commit> commit(const FinishedCut& cut);

 private:
  bool has_commit();
  checkpoint::Manifest manifest_of(const FinishedCut& cut, const checkpoint::Bundle& bundle) const;

  const Launch& launch_;
  const Setup& setup_;
  const data::Storages& storages_;
  checkpoint::CheckpointFolder folder_;
  std::string nonce_;
  std::uint64_t writes_ = 0;
  std::uint64_t batches_per_epoch_ = 1;
  std::uint32_t servers_;
  checkpoint::Claim claim_;
  Commit last_;
};

}  // namespace carrack::train
