// The history of a run for TensorBoard: the bytes of an event file, docs/formats/metrics.md. A file is
// event_file_start() and event_of() of each point behind it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/history/point.h"

namespace carrack::history {

// "events.out.tfevents.1764094505.SUFFIX", with at least ten digits. TensorBoard reads all files of a folder with such
// names, in the order of the names, so a later file of a run needs a later time.
std::string event_file_name(double unix_seconds, const std::string& suffix);

// The first record of a file.
std::string event_file_start(double unix_seconds);

// The record that tells TensorBoard to forget all points of this step and beyond, as the run goes on before it.
std::string event_of_restart(std::uint64_t step, double unix_seconds);

// The record of a point, with a scalar for each number. The tags are `loss`, `records_per_second` and `epoch`, and of
// an evaluation `evaluation/NAME` for each metric. Values are rounded to float; NaN and infinities are kept.
std::string event_of(const Point& point);

}  // namespace carrack::history
