#include "operator/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "dataloader/text.h"
#include "operator/core/member_words.h"
#include "operator/core/printable.h"
#include "operator/core/reasons.h"
#include "operator/core/restart.h"
#include "operator/explain/finding.h"
#include "operator/explain/member_rows.h"
#include "operator/explain/pace.h"
#include "operator/explain/phrases.h"

namespace carrack::control {
namespace {

constexpr std::size_t label_width = 14, listed_max = 5;

// One row of the explanation: its label, and a text of one or several lines.
using Fact = std::pair<std::string, std::string>;

std::string and_more(std::size_t count) {
  return count > listed_max ? "and " + std::to_string(count - listed_max) + " more" : "";
}

// Adds the condition that the verdict is about, with its message unchanged.
void add_cause(const Condition* condition, Time now, std::vector<Fact>& facts) {
  if (!condition) return;
  const std::string reason =
      condition->reason + ", for " + duration_text(static_cast<double>((now - condition->since).count()));
  const bool has_message = !condition->message.empty();
  facts.emplace_back(has_message ? "cause" : "state", reason + (has_message ? ": " + condition->message : ""));
}

// "pending, pod digits-x1y2z-worker-1-0-1, on node n1: WHY". WHY is left out if `cause` contains it.
std::string row_text(const JobView& view, const MemberRow& row, const std::string& cause) {
  const ObservedProcess* process = newest_process(view, row.member);
  const bool is_in_cause = row.why.empty() || cause.find(row.why) != cause.npos;
  return row.state + (process ? ", pod " + process->name : "") + (row.node.empty() ? "" : ", on node " + row.node) +
         (is_in_cause ? "" : ": " + row.why);
}

void add_members(const JobView& view, const std::string& cause, std::vector<Fact>& facts) {
  std::vector<std::string> counts;
  for (const auto& [role, replicas] : view.status.replicas) {
    counts.push_back(describe_share(role, replicas.running, replicas.desired));
  }
  const bool any_may_run = !is_finished(view.status) && (view.place != Place::this_machine || view.is_at_work);
  if (!counts.empty() && any_may_run) facts.emplace_back("running", enumerated(counts));
  const bool is_over = is_finished(view.status) || holds(view.status, ConditionType::suspended);
  std::size_t unwell = 0;
  for (const MemberRow& row : member_rows(view)) {
    const bool says_nothing = view.status.members.empty() || (is_over && row.why.empty());
    if (row.is_well || says_nothing || ++unwell > listed_max) continue;
    facts.emplace_back(member_name(row.member), row_text(view, row, cause));
  }
  if (unwell > listed_max) facts.emplace_back("", and_more(unwell));
}

void add_progress(const JobView& view, std::vector<Fact>& facts) {
  const JobStatus& status = view.status;
  if (const std::string steps = step_phrase(status); !steps.empty()) {
    std::string text = steps;
    if (status.progress->step > 0) text += ", loss " + number_text(status.progress->loss);
    if (status.progress->input_wait) {
      text += ", workers wait for data " + std::to_string(std::lround(100 * *status.progress->input_wait)) +
              "% of their time";
    }
    facts.emplace_back("progress", text);
  }
  if (view.spec.own) return;
  const std::string& folder = view.spec.config.checkpoint.folder;
  const Condition* failed = find(status, ConditionType::failed);
  const bool is_taken = failed && failed->reason == reasons::checkpoint_taken;
  const std::string in_folder = folder.empty() ? "" : " in " + folder + (is_taken ? ", which another job has now" : "");
  facts.emplace_back("last commit", status.last_checkpoint
                                        ? "step " +
                                              data::counted(static_cast<std::uint64_t>(status.last_checkpoint->step)) +
                                              ", " + status.last_checkpoint->name + in_folder
                                        : "none yet" + in_folder);
  if (status.last_checkpoint && status.last_checkpoint->skipped_records > 0) {
    facts.emplace_back("left out", skipped_phrase(*status.last_checkpoint));
  }
  if (!status.evaluation) return;
  std::string text = "at step " + data::counted(static_cast<std::uint64_t>(status.evaluation->step)) + ": " +
                     metrics_text(*status.evaluation);
  if (status.best_checkpoint) {
    text += "; the best is that of step " + data::counted(static_cast<std::uint64_t>(status.best_checkpoint->step)) +
            ", loss " + number_text(status.best_checkpoint->loss);
  }
  facts.emplace_back("evaluation", text);
}

void add_restarts(const JobView& view, std::vector<Fact>& facts) {
  const JobStatus& status = view.status;
  if (status.attempt > 0) {
    const std::string uncharged =
        status.uncharged_restarts == 0 ? "" : ", " + std::to_string(status.uncharged_restarts) + " of them not charged";
    facts.emplace_back("restarts", "all members have been restarted " +
                                       data::counted(static_cast<std::uint64_t>(status.attempt), "time") + uncharged +
                                       "; spec.run.backoffLimit allows " + std::to_string(view.spec.run.backoff_limit));
  }
  std::size_t failing = 0;
  for (const auto& [member, start] : status.members) {
    if (start.failures == 0 || ++failing > listed_max || is_finished(status)) continue;
    facts.emplace_back("failures", describe(member) + " has failed " +
                                       data::counted(static_cast<std::uint64_t>(start.failures), "time") +
                                       (view.spec.own ? " in a row; " : " since the last commit; ") +
                                       std::to_string(member_failures_max) + " failures restart the whole job");
  }
  if (status.last_failure)
    facts.emplace_back("last failure", failure_phrase(view.spec, *status.last_failure, view.now));
  if (status.lost_steps > 0) {
    facts.emplace_back("lost steps", data::counted(static_cast<std::uint64_t>(status.lost_steps)) +
                                         " had to be computed again, after " +
                                         data::counted(static_cast<std::uint64_t>(status.restarts), "restart") +
                                         " and " +
                                         data::counted(static_cast<std::uint64_t>(status.disruptions), "disruption"));
  }
  if (status.drain_deadline) {
    facts.emplace_back("stops", "at the latest " + time_from_now(*status.drain_deadline, view.now));
  }
}

void add_events(const JobView& view, std::vector<Fact>& facts) {
  std::vector<SeenEvent> warnings;
  std::ranges::copy_if(view.events, std::back_inserter(warnings),
                       [](const SeenEvent& event) { return event.warning && !event.pod.empty(); });
  std::ranges::stable_sort(warnings, std::greater<>(), &SeenEvent::last);
  for (std::size_t at = 0; at < std::min(warnings.size(), listed_max); ++at) {
    const SeenEvent& event = warnings[at];
    const std::string times = event.count > 1 ? ", " + std::to_string(event.count) + " times" : "";
    facts.emplace_back("event", time_from_now(event.last, view.now) + times + ", pod " + event.pod + ": " +
                                    event.reason + ": " + event.note);
  }
  if (warnings.size() > listed_max) facts.emplace_back("", and_more(warnings.size()));
}

void add_gaps(const JobView& view, std::vector<Fact>& facts) {
  if (!view.status.conditions.empty() && view.status.observed_generation < view.spec.generation) {
    facts.emplace_back("not known",
                       "what follows from the last change of the spec: the operator has not decided on it yet");
  }
  for (const std::string& gap : view.gaps) facts.emplace_back("not known", gap);
}

// Breaks `text` at blanks into lines of at most `width` bytes; a width of 0 means no limit. The caller prints a label
// before the first line, so that line has less room. The other lines are indented by the width of the label.
std::string wrapped(const std::string& text, std::size_t width) {
  const std::string indent(label_width, ' ');
  std::string lines;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column > 0 && width > 0 && label_width + column + 1 + word.size() > width) {
      lines += "\n" + indent;
      column = 0;
    }
    if (column > 0) lines += ' ';
    lines += word;
    column += word.size() + (column > 0 ? 1 : 0);
    if (end < text.size() && text[end] == '\n') {
      lines += "\n" + indent;
      column = 0;
    }
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string verdict(const JobView& view) {
  return printable_line(view.spec.name + " " + finding_of(view).verdict);
}

std::string explain(const JobView& view, std::size_t width) {
  const Finding finding = finding_of(view);
  std::vector<Fact> facts;
  add_cause(finding.condition, view.now, facts);
  facts.emplace_back("what to do", finding.cure);
  add_members(view, finding.condition ? finding.condition->message : "", facts);
  add_progress(view, facts);
  add_restarts(view, facts);
  add_events(view, facts);
  add_gaps(view, facts);
  std::string text = printable_line(view.spec.name + " " + finding.verdict) + "\n";
  for (const auto& [label, words] : facts) {
    const std::size_t gap = label.size() < label_width ? label_width - label.size() : 1;
    text += label + std::string(gap, ' ') + wrapped(printable(words), width) + "\n";
  }
  return text;
}

}  // namespace carrack::control
