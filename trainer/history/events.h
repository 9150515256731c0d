// The history of a job for TensorBoard: the bytes of an event file, docs/formats/metrics.md. A file is
// event_file_start(), followed by event_of() each point and event_of_restart() each restart, in their order. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/history/point.h"

namespace carrack::history {

// "events.out.tfevents.1764094505.SUFFIX"; the seconds have at least ten digits. TensorBoard reads all such files of a
// folder in the order of their names, so a later file of a job needs a later second, or the same second and a suffix
// that sorts later.
std::string event_file_name(double unix_seconds, const std::string& suffix);

// The first record of a file. As everywhere here, the result is framed as a TFRecord.
std::string event_file_start(double unix_seconds);

// The record with which TensorBoard drops all earlier points of `step` and later steps, because the job repeats them.
std::string event_of_restart(std::uint64_t step, double unix_seconds);

// The record of a point, with a scalar for each number. The tags of a training point are `loss`, `records_per_second`
// and `epoch`; an evaluation has the tag `evaluation/NAME` for each metric. Values are rounded to float; NaN and
// infinities are kept as they are.
std::string event_of(const Point& point);

}  // namespace carrack::history
