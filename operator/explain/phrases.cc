#include "operator/explain/phrases.h"

#include <algorithm>
#include <charconv>

#include "dataloader/text.h"
#include "operator/core/member_words.h"
#include "operator/explain/pace.h"

namespace carrack::control {
namespace {

std::string counted(std::int64_t number) {
  return data::counted(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0)));
}

}  // namespace

std::string time_from_now(Time time, Time now) {
  if (time > now) return "in " + duration_text(static_cast<double>((time - now).count()));
  return duration_text(static_cast<double>((now - time).count())) + " ago";
}

std::string number_text(const std::optional<double>& number) {
  if (!number) return "nan or inf";
  constexpr int digits = 4;
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, *number, std::chars_format::general, digits).ptr};
}

std::string step_phrase(const JobStatus& status) {
  if (!status.progress) return "";
  const auto& [step, steps, loss, input_wait] = *status.progress;
  if (steps <= 0) return step > 0 ? "step " + counted(step) : "";
  const auto percent = static_cast<int>(100 * static_cast<double>(step) / static_cast<double>(steps));
  return "step " + counted(step) + " of " + counted(steps) + " (" + std::to_string(percent) + "%)";
}

std::optional<double> average_steps_per_second(const JobView& view) {
  const train::Checkpoint& checkpoint = view.spec.config.checkpoint;
  const bool counts_own_steps = checkpoint.resume.empty() && checkpoint.on_taken != train::OnTaken::go_on;
  const bool nobody_runs_it = view.place == Place::this_machine && !view.is_at_work;
  const bool stands_still =
      (!holds(view.status, ConditionType::running) || nobody_runs_it) && !is_finished(view.status);
  if (!view.status.progress || !view.status.start_time || !counts_own_steps || stands_still) return std::nullopt;
  const Time until = view.status.completion_time.value_or(view.now);
  const auto took = static_cast<double>((until - *view.status.start_time).count());
  const auto steps = static_cast<double>(view.status.progress->step);
  return took > 0 && steps > 0 ? std::optional(steps / took) : std::nullopt;
}

std::string time_left(const JobView& view) {
  const auto pace = view.steps_per_second ? view.steps_per_second : average_steps_per_second(view);
  if (!pace || *pace <= 0 || !view.status.progress) return "";
  const std::int64_t left = view.status.progress->steps - view.status.progress->step;
  if (left <= 0) return "";
  return "about " + duration_text(static_cast<double>(left) / *pace) + " left" +
         (view.steps_per_second ? "" : " at its average pace");
}

std::string skipped_phrase(const LastCheckpoint& checkpoint) {
  const std::string first = checkpoint.first_skipped.empty() ? "" : ", the first: " + checkpoint.first_skipped;
  return data::counted(static_cast<std::uint64_t>(checkpoint.skipped_records), "use") +
         " of damaged records up to step " + counted(checkpoint.step) + first;
}

std::string metrics_text(const EvaluationStatus& evaluation) {
  std::string text = "loss " + number_text(evaluation.loss);
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) text += std::string(", ") + name + " " + number_text(value);
  };
  add("accuracy", evaluation.accuracy);
  add("area under the curve", evaluation.area_under_curve);
  add("mean absolute error", evaluation.mean_absolute_error);
  add("mean squared error", evaluation.mean_squared_error);
  return text;
}

std::string members_phrase(train::Role role, int count, int of, std::optional<int> index) {
  if (count == 1 && (index || of == 1)) return describe(train::Member{role, index.value_or(0)});
  return describe_share(role, count, of);
}

std::string enumerated(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    text += (at == 0 ? "" : at + 1 == parts.size() ? " and " : ", ") + parts[at];
  }
  return text;
}

std::string filled_in(std::string_view text, const std::map<std::string, std::string>& words) {
  std::string filled;
  while (!text.empty()) {
    const auto word = std::ranges::find_if(words, [&](const auto& one) { return text.starts_with(one.first); });
    const bool is_word = word != words.end();
    filled += is_word ? word->second : std::string(text.substr(0, 1));
    text.remove_prefix(is_word ? word->first.size() : 1);
  }
  return filled;
}

}  // namespace carrack::control
