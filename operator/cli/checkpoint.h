// `carrack checkpoint`: prints what is in a checkpoint folder, and whether its files are complete and unchanged.
#pragma once

#include <functional>
#include <span>

#include "dataloader/storage/storages.h"

namespace carrack::control {

// Runs `carrack checkpoint list|inspect|verify`. `arguments` are those after `checkpoint`. `storages` returns the
// storages from which files are read; it is called once, and only if the arguments are valid. Returns the exit code: 0;
// 1 if a checkpoint is damaged or another error occurred; 2 for a mistake of the user. An error is printed, not thrown.
int checkpoint(std::span<char* const> arguments, const std::function<const data::Storages&()>& storages);

}  // namespace carrack::control
