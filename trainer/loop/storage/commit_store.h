// CommitStore: the coordinator's access to the job's checkpoint folder. HEAD is an object in this folder that is
// changed only by compare-and-set. It names the process that may commit and the last committed checkpoint. A
// coordinator claims HEAD when it starts, finds the checkpoint from which training continues, commits what the
// parameter servers save, and removes old checkpoints. Not thread-safe.
#pragma once

#include <chrono>
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

// Converts the manifest of a checkpoint, `committed`, to the Commit that the coordinator's state machine uses. The
// manifest numbers batches within their epochs; a Commit numbers them over all epochs. Commit::resumed is false in it.
Commit commit_of(const checkpoint::Committed& committed, const checkpoint::Manifest& manifest,
                 std::uint64_t batches_per_epoch);

// The checkpoints that must not be removed, by the names of their manifests. Those that spec.checkpoint.keepLast and
// keepEverySteps retain need not be listed.
struct NeededCheckpoints {
  std::string last;                      // manifest of the last commit
  std::vector<std::string> others = {};  // manifests of others that are in use, such as the best checkpoint
};

// True if HEAD still names this process as the one that may commit. Throws as has_commit() does.
bool still_claims(const Launch& launch, const data::Storages& storages);

// True if HEAD names a commit from which this job continues: one of its own, or one of another job, unless
// spec.checkpoint.onTaken is Replace. Needs no claim. Throws data::Error if the storage fails, and Error with
// Blame::user if HEAD is damaged.
bool has_commit(const Launch& launch, const data::Storages& storages);

// The pause between two calls of CommitStore::still_claimed(). If another process replaces a coordinator that was
// stopped for a while, the members join the new one. The old one then never commits, so it must read HEAD to find out.
inline constexpr auto check_head_every = std::chrono::seconds(3);

class CommitStore {
 public:
  // Reads nothing. `nonce` must be different in each process. All other arguments must outlive this.
  CommitStore(const Launch& launch, const Setup& setup, const data::Storages& storages, std::string nonce);

  // Claims HEAD; call it once, before the functions below. Returns nullopt if that succeeded; training then continues
  // from last_commit(). Otherwise returns how this process must end: Exit::superseded if a later process of the
  // coordinator has claimed HEAD, Exit::drained if `wait` was cancelled. If another job has the folder and this one may
  // take it over, blocks until the other one has ended, as `wait` says. Throws
  // - FolderTaken if another job has the folder, and this job must not take it over or the other one still uses it;
  // - Error with Blame::user if the checkpoint that the job starts from does not fit it (this process then does not
  //   change HEAD), or if the job's own last commit was trained on other data;
  // - Error with Blame::platform if other processes have changed HEAD meanwhile, so that a retry helps;
  // - data::Error if the storage fails.
  std::optional<Exit> claim(FoundData data, const TakeOverWait& wait = {});
  // The commit that claim() found, in this folder or, before this job's first commit, in the folder that
  // spec.checkpoint.resume names. commit() does not change it. Its `manifest` is empty if there is none.
  const Commit& last_commit() const { return last_; }

  // Returns the number of attempts (restarts of a whole job, and its first start) that earlier jobs had in this folder;
  // 0 without such jobs. The names of this job's files have this number plus the attempt of the launch.
  std::uint64_t attempts_before() const;
  // True if this job starts from step 0, or from another folder's commit, in place of a job that it replaces.
  bool begins_in_place_of_another() const;

  // Reads HEAD, and returns true if this process still has the claim. Also answers another job that wants to take over
  // the folder, which shows that this process is alive. Call it every few seconds. A later process of this job's
  // coordinator claims HEAD without a request. Throws data::Error if the storage fails.
  bool still_claimed();

  // Makes a committed checkpoint of a finished cut (a version that all parameter servers have saved): writes the
  // manifest, and blocks until HEAD names it. Returns nullopt, without a commit, if another process has claimed HEAD.
  // Throws Error with Blame::bug if the servers' reports contradict each other, data::Error if the storage fails.
  std::optional<Commit> commit(const FinishedCut& cut);

  // Returns a function for Removal (roles/removal.h); call remover() after claim(). The function removes the
  // checkpoints of this folder that neither spec.checkpoint retains nor `needed` names, and returns early once `go_on`
  // returns false. Call it from one thread at a time. It may outlive this object, but not the storage. It throws
  // data::Error if the storage fails.
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
