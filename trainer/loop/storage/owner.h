// Takes over a checkpoint folder from another job. If HEAD of a job's checkpoint folder names another job,
// spec.checkpoint.onTaken decides: with Fail this job fails; otherwise it waits until the coordinator of the other job
// has ended. To find that out, it writes a request into the folder, which a live coordinator answers.
// CommitStore::claim() calls these functions.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "trainer/checkpoint/folder.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

// Settings of the wait. The functions are called on the thread that waits, and must not be empty.
struct TakeOverWait {
  // Returns true to end the wait. Called several times a second.
  std::function<bool()> cancelled = [] { return false; };
  // Writes a line without a newline to the log.
  std::function<void(const std::string&)> log = [](const std::string&) {};
  // Called when the wait begins; not called if there is no other job.
  std::function<void()> begins = [] {};
  // A coordinator that does not answer a request within this time is considered ended. A live coordinator checks for
  // requests every 3 s.
  std::chrono::milliseconds answer_within = std::chrono::seconds(10);
  // The maximum duration of the wait, after which this job gives up. A job that is about to end, such as one that was
  // deleted, may answer until then.
  std::chrono::milliseconds at_most = std::chrono::minutes(2);
};

// `head` is a HEAD that names another job. Throws FolderTaken if this job must not take the folder over from it: either
// onTaken is Fail, or this job has owned the folder earlier and has lost it. Otherwise does nothing.
void require_may_take_over(const checkpoint::Head& head, const Launch& launch);

// Writes requests into the folder until the coordinator of the other job does not answer one, and returns that job's
// claim, which the caller can then take over (CheckpointFolder::take_over()). Returns nullopt if the wait was
// cancelled, or if no other job has the folder any more. Throws FolderTaken if the other job still answers after
// `wait.at_most`; data::Error if the storage fails. `nonce` must not have been used before.
std::optional<checkpoint::Claim> wait_until_left(checkpoint::CheckpointFolder& folder, const Launch& launch,
                                                 const std::string& nonce, const TakeOverWait& wait);

}  // namespace carrack::train
