// What a job does if another job has claimed its checkpoint folder, according to spec.checkpoint.onTaken.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "trainer/checkpoint/folder.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

// How a job waits until another job has left the folder. The functions are called on the thread that waits, and must
// not be empty.
struct TakeOverWait {
  // Returns true to end the wait. Called several times a second.
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const std::string&)> log = [](const std::string&) {};
  // Called once when the wait begins.
  std::function<void()> begins = [] {};
  // A coordinator that does not answer a request within this time is considered ended. A live coordinator checks for
  // requests every 3 s.
  std::chrono::milliseconds answer_within = std::chrono::seconds(10);
  // The maximum duration of the wait, after which this job gives up. A job that is about to end, such as one that was
  // deleted, may answer until then.
  std::chrono::milliseconds at_most = std::chrono::minutes(2);
};

// Throws FolderTaken if this job must leave its folder to another job, which `head` names: either onTaken is Fail, or
// this job has had the folder and lost it.
void require_may_take_over(const checkpoint::Head& head, const Launch& launch);

// Waits until the coordinator of the job that has claimed the folder does not answer a request, and returns that job's
// claim. Returns nullopt if the wait was cancelled, or if no other job has the folder any more. Throws FolderTaken if
// it still answers after `wait.at_most`; data::Error if the storage fails. `nonce` must not have been used before.
std::optional<checkpoint::Claim> wait_until_left(checkpoint::CheckpointFolder& folder, const Launch& launch,
                                                 const std::string& nonce, const TakeOverWait& wait);

}  // namespace carrack::train
