// The reading half of `carrack data convert`: reads the records or rows of its inputs, in order, and passes each to a
// callback, which writes it (shard_writer.h) or only counts it.
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
  std::uint64_t records = 0;        // records that were passed to `write`
  std::uint64_t skipped = 0;        // damaged spans of TFRecords, or rows that cannot be used
  std::uint64_t skipped_bytes = 0;  // bytes of the input that were skipped
  std::uint64_t input_bytes = 0;    // bytes of the input that were read or skipped, after inflation; 0 if unknown
  // The number of inputs of which all that follows a fault is lost, too: compressed files whose data is damaged, and
  // programs that have failed. The size of that loss is unknown, and not in the other members. copy_rows() looks only
  // at the faults in Reading::first_lost().
  std::uint64_t unread_inputs = 0;
};

// Returns the options with which copy_rows() and --fill read rows: thread_count() CPUs, and at most 256 MiB of memory.
// The Reading leaves out rows that cannot be used, even without --on-damage skip: Reading::first_lost() lists the first
// of them, and the caller decides. It throws Interrupted if defer_interrupts() has recorded a signal.
ReadingOptions copy_options(const Request& request);
// Returns about how many bytes of the files `reading` has read so far, after inflation; 0 if unknown, as for a program.
std::uint64_t bytes_read(const Reading& reading);

using WriteRecord = std::function<void(std::span<const std::byte> record)>;

// copy_records() and copy_rows() call `write` on the calling thread, and throw what it throws. A record is valid until
// `write` returns. With --on-damage skip they report the first ten skipped spans or rows (copy_rows(): the first
// `reports_max`) on standard error. Without it they throw an Error for the first one, when `write` may have been called
// for earlier records. They throw Interrupted if defer_interrupts() has recorded a signal. They add the bytes that they
// read to `progress`, or if that is unknown, as for a program, the bytes of the records.

// Copies the records of TFRecord files. Throws Refused for a file that holds something else. Throws an Error for a file
// that has changed since it was listed, also with --on-damage skip.
CopyResult copy_records(const Request& request, const Storages& storages, const std::vector<Listed>& files,
                        Progress& progress, const WriteRecord& write);
// Passes each row of `inputs` to `write` as a tf.Example; `inputs.rows` must be set. The records of a program
// (Dataset::program) are passed as they are.
CopyResult copy_rows(const Request& request, const Storages& storages, const Inputs& inputs, Progress& progress,
                     const WriteRecord& write, std::uint64_t reports_max = 10);

}  // namespace carrack::data::cli
