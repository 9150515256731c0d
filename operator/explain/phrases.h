// How the state of a job is put into words: numbers, times and members. Pure.
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
// "0.0213"; "nan or inf" for a number that is not stored, as it is not finite.
std::string number_text(const std::optional<double>& number);
// "step 400 of 1,000 (40%)"; empty until it is known.
std::string step_phrase(const JobStatus& status);
// The steps that a job which runs or has ended made each second since it first ran. nullopt if that is not known, as
// for a job that resumes from another one and counts its steps too.
std::optional<double> average_steps_per_second(const JobView& view);
// "about 8 min left", at the pace that was measured or else on average; empty if neither is known.
std::string time_left(const JobView& view);
// "loss 0.12, accuracy 0.97"
std::string metrics_text(const EvaluationStatus& evaluation);
// "3 uses of damaged records up to step 400, the first: x.tfrecord: record 3 at byte 96: the data does not match its
// checksum"
std::string skipped_phrase(const LastCheckpoint& checkpoint);
// "2 of 4 workers"; of one member whose index is known, or of the only one, "worker 1".
std::string members_phrase(train::Role role, int count, int of, std::optional<int> index);
// "a, b and c"
std::string enumerated(const std::vector<std::string>& parts);
// The text with each of these words replaced wherever it stands.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& words);

}  // namespace carrack::control
