// The coordinator's access to the checkpoint folder: it claims HEAD, finds the last commit there or in the folder that
// the job resumes from, commits what the servers have saved, and removes old checkpoints. Not thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/launch/exit.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/loop/storage/owner.h"

namespace carrack::train {

// The commit of a manifest, with batches numbered over all epochs, as the coordinator counts them.
Commit commit_of(const checkpoint::Committed& committed, const checkpoint::Manifest& manifest,
                 std::uint64_t batches_per_epoch);

// What is not to be removed, besides what spec.checkpoint keeps. Manifests, by their names.
struct NeededCheckpoints {
  std::string last;                      // the last commit
  std::vector<std::string> others = {};  // that are in use
};

// True if this start of the coordinator is the last one that has claimed HEAD. Throws data::Error if storage fails.
bool still_claims(const Launch& launch, const data::Storages& storages);

// True if HEAD names a commit that this job goes on from. Throws as CheckpointFolder::head().
bool has_commit(const Launch& launch, const data::Storages& storages);

class CommitStore {
 public:
  // All but `nonce` must outlive this.
  CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce);

  // Claims HEAD. Returns nullopt if that succeeded; last_commit() is then what training goes on from. Returns
  // Exit::superseded if a later start of the coordinator has claimed it, Exit::drained if the `wait` for another job to
  // leave the folder was cancelled. Throws
  // - FolderTaken if the folder belongs to another job, and is not to be taken over or still in use;
  // - Error, with Blame::user, if the checkpoint that the job starts from does not fit it (HEAD is then unchanged), or
  //   if its own last commit was trained on other data;
  // - Error, with Blame::platform, if another start has meanwhile decided how the job begins: a retry helps;
  // - data::Error if storage fails.
  std::optional<Exit> claim(FoundData data, const TakeOverWait& wait = {});
  // The last commit that claim() found; commit() does not change it.
  const Commit& last_commit() const { return last_; }

  // The attempts that earlier jobs had in this folder: names of this job's files count on from there.
  std::uint64_t attempts_before() const;
  // True if this job begins anew in a folder that has the history of a job that it replaces.
  bool begins_in_place_of_another() const;

  // Reads HEAD. True if this process still has the claim, which a later start of the coordinator takes without notice.
  // Answers a job that wants to take the folder over.
  bool still_claimed();

  // Returns nullopt if a later start of the coordinator has claimed HEAD; nothing is committed then.
  std::optional<Commit> commit(const FinishedCut& cut);

  // A function that removes the checkpoints of this folder that spec.checkpoint does not keep and that are not needed,
  // as long as `go_on` returns true. It uses the storage but not this object, so any thread may call it. It throws
  // data::Error if storage fails.
  std::function<void(const NeededCheckpoints& needed, const std::function<bool()>& go_on)> remover() const;

 private:
  std::optional<Exit> claim_head(const TakeOverWait& wait);
  enum class Claimed { by_this_start, superseded, by_another_job };
  Claimed claim_own();
  bool take_over(const checkpoint::Claim& found);
  std::optional<checkpoint::Committed> resumed_so_far(const std::optional<checkpoint::Head>& head);
  void find_last_commit();
  std::string next_nonce() { return nonce_ + "-" + std::to_string(++writes_); }
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
  std::optional<checkpoint::Committed> resumed_;  // where last_ is of
  Commit last_;
};

}  // namespace carrack::train
