// `carrack checkpoint`: what is in a checkpoint folder, and whether it is whole.
#pragma once

#include <functional>
#include <span>

#include "dataloader/storage/storages.h"

namespace carrack::control {

// Takes the arguments after `checkpoint`, and calls `storages` only if they are valid. Returns the exit code, which is
// 1 also if a checkpoint is damaged. An error is printed, not thrown.
int checkpoint(std::span<char* const> arguments, const std::function<const data::Storages&()>& storages);

}  // namespace carrack::control
