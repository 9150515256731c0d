// The coordinator's access to the checkpoint folder: it claims HEAD, finds the last commit there or in the folder from
// which the job resumes, commits what the servers have saved, and removes old checkpoints. Not thread-safe.
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

// Converts a manifest to a Commit, in which batches are numbered over all epochs. Commit::resumed is false in it.
Commit commit_of(const checkpoint::Committed& committed, const checkpoint::Manifest& manifest,
                 std::uint64_t batches_per_epoch);

// Manifests, by name, whose checkpoints must not be removed, in addition to those that spec.checkpoint retains.
struct NeededCheckpoints {
  std::string last;                      // manifest of the last commit
  std::vector<std::string> others = {};  // manifests that are in use
};

// True if HEAD names this process of the coordinator. Throws data::Error if the storage fails.
bool still_claims(const Launch& launch, const data::Storages& storages);

// True if HEAD names a commit from which this job continues. Throws data::Error if the storage fails, and Error with
// Blame::user if HEAD is damaged.
bool has_commit(const Launch& launch, const data::Storages& storages);

class CommitStore {
 public:
  // All arguments except `nonce` must outlive this. `nonce` must be different in each process.
  CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce);

  // Claims HEAD. Returns nullopt if that succeeded; training then continues from last_commit(). Returns
  // Exit::superseded if a later process of the coordinator has claimed it, and Exit::drained if `wait` was cancelled
  // while another job had the folder. Throws
  // - FolderTaken if another job has the folder, and this job must not take it over or the other one still uses it;
  // - Error with Blame::user if the checkpoint that the job starts from does not fit it (this process then does not
  //   change HEAD), or if the job's own last commit was trained on other data;
  // - Error with Blame::platform if another process has decided meanwhile how the job begins, so a retry helps;
  // - data::Error if the storage fails.
  std::optional<Exit> claim(FoundData data, const TakeOverWait& wait = {});
  // The commit that claim() found; commit() does not change it. Its `manifest` is empty if there is none.
  const Commit& last_commit() const { return last_; }

  // Returns the number of attempts that earlier jobs had in this folder; valid after claim(). The attempt in the names
  // of files is this number plus the attempt of the launch.
  std::uint64_t attempts_before() const;
  // True if this job starts from step 0, or from another folder's commit, in place of a job that it replaces.
  bool begins_in_place_of_another() const;

  // Reads HEAD, and if a job has requested an answer to take over the folder, answers it. Returns true if this process
  // still has the claim. A later process of this job's coordinator does not ask: it claims HEAD immediately. Throws
  // data::Error if the storage fails.
  bool still_claimed();

  // Commits the cut: blocks until HEAD names it. Returns nullopt, without a commit, if a later process of the
  // coordinator has claimed HEAD. Throws Error with Blame::bug if the servers' reports contradict each other,
  // data::Error if the storage fails.
  std::optional<Commit> commit(const FinishedCut& cut);

  // Returns a function that removes the checkpoints of this folder that neither spec.checkpoint retains nor `needed`
  // names, as long as `go_on` returns true. Call it from one thread at a time; it may outlive this object, because it
  // uses only the storage. It throws data::Error if the storage fails.
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
  std::optional<checkpoint::Committed> resumed_;  // the commit from which the job resumed, or will resume
  Commit last_;
};

}  // namespace carrack::train
