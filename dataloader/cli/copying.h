// Records from where they are read to whatever writes them, in their order: what a conversion does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dataloader/cli/progress.h"
#include "dataloader/cli/request.h"
#include "dataloader/pipeline/dataset.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

struct Copied {
  std::uint64_t records = 0;
  // What was left out:
  std::uint64_t damaged = 0;
  std::uint64_t lost = 0;  // bytes
};

using Write = std::function<void(std::span<const std::byte> record)>;

// Both tell of the first ten places that are left out, unless fewer are asked for; or throw an Error, unless
// --skip-corrupt was asked for.
Copied copy_records(const Request& request, const Storages& storages, const std::vector<Listed>& files,
                    Progress& progress, const Write& write);
// Each row of the data set as an Example, or as the record that it is. By all threads.
Copied copy_rows(const Request& request, const Storages& storages, const Dataset& rows, Progress& progress,
                 const Write& write, std::uint64_t most_told = 10);

}  // namespace carrack::data::cli
