// What a job does if another one has claimed its checkpoint folder, as spec.checkpoint.onTaken says.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "trainer/checkpoint/folder.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

// How long a job waits for another one to leave the folder that it is to take over.
struct TakeOverWait {
  // Ends the wait. Called several times a second.
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const std::string&)> log = [](const std::string&) {};
  // Called when the wait begins.
  std::function<void()> begins = [] {};
  // A coordinator that has not answered for this long has ended. One that is alive looks for requests every 3 s.
  std::chrono::milliseconds answer_within = std::chrono::seconds(10);
  // The other job may be on its way out, as one that was deleted, and then answers for a while.
  std::chrono::milliseconds at_most = std::chrono::minutes(2);
};

// Throws FolderTaken if the folder of the job, which `head` says is another one's, is to be left to that one: as
// onTaken is Fail, or as this job has had the folder before and has lost it.
void require_may_take_over(const checkpoint::Head& head, const Launch& launch);

// Waits until the coordinator of the job that has claimed the folder answers no request any more. Returns its claim;
// nullopt if the wait was cancelled, or if no other job has the folder any more. Throws FolderTaken if it still answers
// in the end. `nonce` must be new.
std::optional<checkpoint::Claim> wait_until_left(checkpoint::CheckpointFolder& folder, const Launch& launch,
                                                 const std::string& nonce, const TakeOverWait& wait);

}  // namespace carrack::train
