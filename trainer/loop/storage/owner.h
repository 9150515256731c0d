// What a job does if another job has claimed its checkpoint folder, according to spec.checkpoint.onTaken.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "trainer/checkpoint/folder.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

// How long a job waits for another one to leave the folder that it takes over.
struct TakeOverWait {
  // Ends the wait. Called several times a second.
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const std::string&)> log = [](const std::string&) {};
  // Called when the wait begins.
  std::function<void()> begins = [] {};
  // A coordinator that does not answer a request within this time has ended. A live one looks for requests every 3 s.
  std::chrono::milliseconds answer_within = std::chrono::seconds(10);
  // The longest wait, after which this job gives up. A job that is about to end, such as one that was deleted, may
  // answer until then.
  std::chrono::milliseconds at_most = std::chrono::minutes(2);
};

// Throws FolderTaken if this job must leave its folder to another job, whose `head` is there: either onTaken is Fail,
// or this job has had the folder and lost it.
void require_may_take_over(const checkpoint::Head& head, const Launch& launch);

// Waits until the coordinator of the job that has claimed the folder answers no request, and returns its claim. Returns
// nullopt if the wait was cancelled, or no other job has the folder any more. Throws FolderTaken if it still answers
// after `wait.at_most`. `nonce` must be new.
std::optional<checkpoint::Claim> wait_until_left(checkpoint::CheckpointFolder& folder, const Launch& launch,
                                                 const std::string& nonce, const TakeOverWait& wait);

}  // namespace carrack::train
