// The exit codes of a trainer process. All other codes are accidents: they come from signals, loaders and shells.
#pragma once

#include "trainer/launch/spellings.h"

namespace carrack::train {

enum class Exit {
  succeeded = 0,
  drained = 80,           // ended early, on request, and left no work unfinished
  user_error = 81,        // a retry would fail in the same way
  platform_error = 82,    // a retry may help
  bug = 83,               // a fault of Carrack
  checkpoint_taken = 84,  // HEAD is claimed by another job
  superseded = 85,        // a peer or HEAD has seen a higher fence
};
template <>
inline constexpr Spelling<Exit> spellings<Exit>[] = {
    {Exit::succeeded, "Succeeded"},          {Exit::drained, "Drained"}, {Exit::user_error, "UserError"},
    {Exit::platform_error, "PlatformError"}, {Exit::bug, "Bug"},         {Exit::checkpoint_taken, "CheckpointTaken"},
    {Exit::superseded, "Superseded"}};

}  // namespace carrack::train
