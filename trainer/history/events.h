// Encodes the training curves of a job as event files of TensorBoard (docs/formats/metrics.md). The coordinator
// (loop/roles/run_history.h) writes them to `tensorboard/` in the checkpoint folder; the functions here only return
// bytes. A job has many files. Each is event_file_start(), followed by event_of() for each point since the file before,
// and event_of_restart() where steps are repeated, in order. Each of these returns one complete TFRecord, with its
// frame. Times are in seconds since 1970.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/history/point.h"

namespace carrack::history {

// Returns a name such as "events.out.tfevents.1764094505.SUFFIX". The seconds are rounded down, have at least ten
// digits, and are 0 if negative. TensorBoard reads all such files of a folder in the order of their names, so a later
// file of a job needs a later second, or the same second and a suffix that sorts later.
std::string event_file_name(double unix_seconds, const std::string& suffix);

// Returns the first record of a file, which has the version of the format.
std::string event_file_start(double unix_seconds);

// Returns the record that makes TensorBoard drop the earlier points at `step` and later steps. Write it when the job
// continues from a commit and so repeats these steps, and for step 1 when a new job replaces the one in the folder.
std::string event_of_restart(std::uint64_t step, double unix_seconds);

// Returns the record of a point, with a scalar for each number. The tags of a training point are `loss`,
// `records_per_second` and `epoch`; an evaluation has the tag `evaluation/NAME` for each metric. Values are rounded to
// float; NaN and infinities stay as they are.
std::string event_of(const Point& point);

}  // namespace carrack::history
