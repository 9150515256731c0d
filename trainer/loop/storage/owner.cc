#include "trainer/loop/storage/owner.h"

#include <algorithm>
#include <thread>

#include "trainer/error.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto check_every = std::chrono::milliseconds(200);
constexpr const char* field = "spec.checkpoint.folder: ";

// Returns the claim of another job; nullopt if no other job has claimed the folder.
std::optional<checkpoint::Claim> claim_of_other(checkpoint::CheckpointFolder& folder, const Launch& launch) {
  std::optional<checkpoint::Claim> claim = folder.present_claim();
  if (claim && claim->head.job == launch.job_uid) claim.reset();
  return claim;
}

void sleep_until(Clock::time_point time, const TakeOverWait& wait) {
  while (Clock::now() < time && !wait.cancelled()) {
    std::this_thread::sleep_for(std::min<Clock::duration>(check_every, time - Clock::now()));
  }
}

}  // namespace

void require_may_take_over(const checkpoint::Head& head, const Launch& launch) {
  const Checkpoint& checkpoint = launch.config.checkpoint;
  if (checkpoint::has_lost_folder(head, launch.job_uid)) {
    throw FolderTaken(field + checkpoint.folder + " was taken over by another job, with UID " + head.job +
                      ", whose spec.checkpoint.onTaken says so; give one of the two a folder of its own");
  }
  if (checkpoint.on_taken != OnTaken::fail) return;
  throw FolderTaken(field + checkpoint.folder + " belongs to another job, with UID " + head.job +
                    ", which trains there or has ended; set spec.checkpoint.onTaken: GoOn to go on from what it has "
                    "trained, or Replace to begin again in its place, or give this job a folder of its own, for "
                    "example with $(UID) in its name");
}

std::optional<checkpoint::Claim> wait_until_left(checkpoint::CheckpointFolder& folder, const Launch& launch,
                                                 const std::string& nonce, const TakeOverWait& wait) {
  const std::string& url = launch.config.checkpoint.folder;
  const Clock::time_point end = Clock::now() + wait.at_most;
  std::optional<checkpoint::Claim> before = claim_of_other(folder, launch);
  if (before) wait.begins();
  for (int requests = 1; before; ++requests) {
    folder.request_answer(launch.job_uid, nonce + "-" + std::to_string(requests));
    if (requests <= 2) {
      wait.log(requests == 1 ? url + " is claimed by another job, with UID " + before->head.job +
                                   "; waiting whether its coordinator answers"
                             : "it answers; waiting until it has ended");
    }
    sleep_until(Clock::now() + wait.answer_within, wait);
    if (wait.cancelled()) break;
    std::optional<checkpoint::Claim> after = claim_of_other(folder, launch);
    // A coordinator that is alive answers by a write to HEAD. HEAD is unchanged, so the other job has ended.
    if (after && after->version == before->version) return after;
    if (after && Clock::now() >= end) {
      folder.withdraw_request();
      throw FolderTaken(field + url + " belongs to another job, with UID " + after->head.job +
                        ", which still trains there; delete or suspend it, and then begin this job again");
    }
    before = std::move(after);
  }
  folder.withdraw_request();
  return std::nullopt;
}

}  // namespace carrack::train
