#include "dataloader/pipeline/stages/plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace carrack::data {

OpenStream stream_of(const Opened& opened, const OpenContext& context) {
  if (opened.stream) return opened.stream;
  Visit how = opened.how;
  how.ahead = context.ahead;
  if (opened.results_ahead > 0) how.ahead.results = opened.results_ahead;
  return [sequence = opened.sequence, asked = std::move(how), &workers = context.workers](std::uint64_t epoch) {
    Visit visited = asked;
    visited.first_epoch = epoch * asked.epochs;
    return visit(sequence, std::move(visited), workers);
  };
}

Opened open(const Plan& plan, const OpenContext& context, const Watch& watch) {
  if (plan.opens_inputs) {
    Opened opened = plan.open({}, context);
    watch(plan, opened);
    return opened;
  }
  std::vector<Opened> inputs;
  std::string contents;
  bool is_far = false;
  Resume resume = Resume::exact;
  Spread spread = Spread::together;
  std::uint64_t files = 0, file_bytes = 0, file_records = 0, state_rows = 0, held_rows = 0, lost = 0;
  std::vector<Corrupt> lost_first;
  for (const PlanPtr& from : plan.from) {
    inputs.push_back(open(*from, context, watch));
    contents += (contents.empty() ? "" : "; ") + inputs.back().contents;
    is_far = is_far || inputs.back().is_far;
    held_rows += inputs.back().held_rows;
    resume = std::max(resume, inputs.back().resume);
    files += inputs.back().files;
    file_bytes += inputs.back().file_bytes;
    file_records += inputs.back().file_records;
    lost += inputs.back().lost;
    std::ranges::copy(inputs.back().lost_first, std::back_inserter(lost_first));
    state_rows += inputs.back().state_rows;
    spread = std::max(spread, inputs.back().spread);
  }
  Opened opened = plan.open(std::move(inputs), context);
  if (plan.from.empty()) {
    watch(plan, opened);
    return opened;
  }
  opened.contents = contents;
  opened.is_far = is_far && !opened.in_memory;
  if (!opened.in_memory) opened.held_rows = std::max(opened.held_rows, held_rows);
  opened.files = files;
  opened.file_bytes = file_bytes;
  opened.file_records = file_records;
  opened.lost = lost;
  opened.lost_first = std::move(lost_first);
  opened.resume = std::max(opened.resume, resume);
  opened.state_rows = std::max(opened.state_rows, state_rows);
  opened.spread = std::max(opened.spread, spread);
  watch(plan, opened);
  return opened;
}

std::string in_words(const Plan& plan) {
  std::string words;
  for (const PlanPtr& from : plan.from) words += (words.empty() ? "" : ", ") + in_words(*from);
  if (plan.from.size() > 1) words = "[" + words + "]";
  return words + (words.empty() ? "" : " > ") + plan.stage + (plan.asked.empty() ? "" : "(" + plan.asked + ")");
}

}  // namespace carrack::data
