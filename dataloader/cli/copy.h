// Copies records from the inputs of a conversion to a callback that writes them, in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dataloader/cli/inputs.h"
#include "dataloader/cli/progress.h"
#include "dataloader/cli/request.h"
#include "dataloader/pipeline/dataset.h"
#include "dataloader/pipeline/reading.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

struct CopyResult {
  std::uint64_t records = 0;        // that were written
  std::uint64_t skipped = 0;        // damaged spans, or rows that cannot be used
  std::uint64_t skipped_bytes = 0;  // of the input
  std::uint64_t input_bytes = 0;    // that were read, skipped ones included; inflated; 0 if that is not known
};

// How rows are read for a conversion: with the threads of --threads, and without those that cannot be used.
ReadingOptions copy_options(const Request& request);
// How much of the files was read, inflated; 0 for a program.
std::uint64_t bytes_read(const Reading& reading);

using WriteRecord = std::function<void(std::span<const std::byte> record)>;

// Both functions call `write` on the calling thread; a record is valid until `write` returns. They report the first
// skipped places on standard error, at most ten or `reports_max`. Without --on-damage skip they throw an Error at
// the first one. They throw Interrupted after an interrupt.

// Copies the records of TFRecord files. Throws Refused for a file that holds no records.
CopyResult copy_records(const Request& request, const Storages& storages, const std::vector<Listed>& files,
                        Progress& progress, const WriteRecord& write);
// Writes each of the rows of the inputs as a tf.Example. Records that a program wrote (Dataset::program) are written as
// they are. As many threads parse as --threads says.
CopyResult copy_rows(const Request& request, const Storages& storages, const Inputs& inputs, Progress& progress,
                     const WriteRecord& write, std::uint64_t reports_max = 10);

}  // namespace carrack::data::cli
