// The small texts of which `carrack explain` and `carrack top` consist: numbers, times and members in words. Each
// function returns a text like the example in quotes. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

// "3 min ago", or "in 8 s" if `time` is later than `now`.
std::string time_from_now(Time time, Time now);
// "0.0213", with at most 4 significant digits. "nan or inf" for nullopt, because a status has nullopt for numbers that
// are not finite.
std::string number_text(const std::optional<double>& number);
// "step 400 of 1,000 (40%)", or "step 400" if the number of steps is unknown. Empty until the job has reported either.
std::string step_phrase(const JobStatus& status);
// Returns the average from status.start_time to the end of the job, or to view.now. nullopt if no step or start time is
// known, if the job neither runs nor has finished, or if it may continue another job, whose steps would be counted.
std::optional<double> average_steps_per_second(const JobView& view);
// "about 8 min left" at view.steps_per_second, or else "about 8 min left at its average pace". Empty if neither pace is
// known, or if no step is left.
std::string time_left(const JobView& view);
// "loss 0.12, accuracy 0.97". Leaves out metrics that the evaluation does not have. The loss is always there, perhaps
// as "nan or inf".
std::string metrics_text(const EvaluationStatus& evaluation);
// "3 uses of damaged records up to step 400, the first: x.tfrecord: record 3 at byte 96: the data does not match its
// checksum"
std::string skipped_phrase(const LastCheckpoint& checkpoint);
// "2 of 4 workers" for count 2 and of 4. "worker 1" if `count` is 1 and either `index` is known or `of` is 1.
std::string members_phrase(train::Role role, int count, int of, std::optional<int> index);
// "a, b and c"; empty for no parts.
std::string enumerated(const std::vector<std::string>& parts);
// Returns a copy of `text` in which each key of `words` is replaced by its value: filled_in("waits for MEMBERS",
// {{"MEMBERS", "worker 1"}}) -> "waits for worker 1". Keys within values are not replaced. No key may be empty, or the
// beginning of another.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& words);

}  // namespace carrack::control
