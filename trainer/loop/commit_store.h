// The coordinator's side of the checkpoint folder: its claim on HEAD, the last commit it finds there, and the commits
// that it makes of what the servers saved.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "trainer/comm/coordinator.h"
#include "trainer/loop/setup.h"

namespace carrack::train {

class CommitStore {
 public:
  CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce);

  // Takes HEAD. Nothing: it is ours, and last_commit() says where the job stands. Else how this process ends.
  std::optional<Exit> claim(std::uint64_t batches_per_epoch);
  const Commit& last_commit() const { return last_; }

  // Whether HEAD is still this process's; a later start of this coordinator takes it without a word.
  bool still_claimed();

  // Nothing: the right to commit was lost to a later start of this coordinator.
  std::optional<Commit> commit(const FinishedCut& cut);

 private:
  checkpoint::Manifest manifest_of(const FinishedCut& cut, const checkpoint::Bundle& bundle) const;

  const Launch& launch_;
  checkpoint::CheckpointFolder folder_;
  std::string nonce_;
  std::uint64_t writes_ = 0;
  std::uint64_t batches_per_epoch_ = 1;
  std::uint32_t servers_;
  checkpoint::Claim claim_;
  Commit last_;
};

}  // namespace carrack::train
