// Puts the state of a job into words: numbers, times and members. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

// "3 min ago"; "in 8 s" for a later time.
std::string time_from_now(Time time, Time now);
// "0.0213"; "nan or inf" for nullopt, because a status leaves out numbers that are not finite.
std::string number_text(const std::optional<double>& number);
// "step 400 of 1,000 (40%)"; empty until a step is reported.
std::string step_phrase(const JobStatus& status);
// The average from the first run to the end of the job, or until view.now. nullopt if it is not known, if the job does
// not run and has not finished, and if it may continue the steps of another job, which count then, too.
std::optional<double> average_steps_per_second(const JobView& view);
// "about 8 min left", at the measured pace, or else at the average; empty if neither is known or no step is left.
std::string time_left(const JobView& view);
// "loss 0.12, accuracy 0.97"
std::string metrics_text(const EvaluationStatus& evaluation);
// "3 uses of damaged records up to step 400, the first: x.tfrecord: record 3 at byte 96: the data does not match its
// checksum"
std::string skipped_phrase(const LastCheckpoint& checkpoint);
// "2 of 4 workers", for `count` and `of`. If `count` is 1 and `index` is known or `of` is 1, it is "worker 1".
std::string members_phrase(train::Role role, int count, int of, std::optional<int> index);
// "a, b and c"
std::string enumerated(const std::vector<std::string>& parts);
// Replaces each key of `words` by its value, wherever it is in `text`; does not replace within values.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& words);

}  // namespace carrack::control
