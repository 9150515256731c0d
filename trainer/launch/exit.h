// The exit codes of a trainer process, by which the operator decides whether to start it again
// (docs/formats/launch.md). Other codes come from signals, loaders and shells.
#pragma once

#include "trainer/launch/spellings.h"

namespace carrack::train {

enum class Exit {
  succeeded = 0,          // the job is done
  drained = 80,           // ended early on request; not a failure, even if a step was half done
  user_error = 81,        // a retry would fail in the same way
  platform_error = 82,    // a retry may help
  bug = 83,               // a fault of Carrack; retried like platform_error
  checkpoint_taken = 84,  // HEAD of the checkpoint folder (checkpoint/head.h) belongs to another job, so the job fails
  superseded = 85,        // a later process of this member has replaced it (Fence in member.h)
};
template <>
inline constexpr Spelling<Exit> spellings<Exit>[] = {
    {Exit::succeeded, "Succeeded"},          {Exit::drained, "Drained"}, {Exit::user_error, "UserError"},
    {Exit::platform_error, "PlatformError"}, {Exit::bug, "Bug"},         {Exit::checkpoint_taken, "CheckpointTaken"},
    {Exit::superseded, "Superseded"}};

}  // namespace carrack::train
