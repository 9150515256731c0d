// Copies records from the inputs of a conversion to a callback that writes them, in their order.
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

struct CopyResult {
  std::uint64_t records = 0;        // that were written
  std::uint64_t skipped = 0;        // damaged spans, or rows that cannot be used
  std::uint64_t skipped_bytes = 0;  // of the input
};

using WriteRecord = std::function<void(std::span<const std::byte> record)>;

// Both functions report the first skipped places on standard error. Without --skip-corrupt they throw an Error at the
// first one.
CopyResult copy_records(const Request& request, const Storages& storages, const std::vector<Listed>& files,
                        Progress& progress, const WriteRecord& write);
// Each row as an Example, or as the record that it holds. All threads parse; `write` is called by this thread alone.
CopyResult copy_rows(const Request& request, const Storages& storages, const Dataset& rows, Progress& progress,
                     const WriteRecord& write, std::uint64_t reports_max = 10);

}  // namespace carrack::data::cli
