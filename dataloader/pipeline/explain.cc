#include "dataloader/pipeline/explain.h"

#include <algorithm>

#include "dataloader/pipeline/reading.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

std::string given_by(const OpenedStage& stage) {
  const std::string what = stage.batch > 0 ? "batch" : "row";
  if (!stage.by_place) return what + (stage.batch > 0 ? "es" : "s") + " as they come";
  if (stage.elements >= endless) return what + (stage.batch > 0 ? "es" : "s") + " without end, by place";
  return counted(stage.elements, what) + ", by place";
}

// What a row takes in storage behind so many stages, as far as is known.
std::uint64_t row_bytes(const std::vector<OpenedStage>& stages, std::size_t end) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < end; ++i)
    if (stages[i].batch == 0 && stages[i].element_bytes > 0) bytes = stages[i].element_bytes;
  return bytes;
}

std::string going_on(const std::vector<OpenedStage>& stages, std::size_t number) {
  const OpenedStage& stage = stages[number];
  if (stage.resume == Resume::none) return "not at all";
  if (stage.state_rows > 0) {
    const std::uint64_t bytes = stage.state_rows * row_bytes(stages, number);
    return "exactly, with " + counted(stage.state_rows, "row") + " in the state" +
           (bytes > 0 ? ", about " + format_bytes(bytes) : "");
  }
  return stage.resume == Resume::exact ? "exactly, from a few numbers" : "exactly, by reading again what came before";
}

std::string table(const std::vector<OpenedStage>& stages, bool deterministic) {
  std::vector<std::array<std::string, 3>> lines = {{"stage", "gives", "goes on"}};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string& asked = stages[i].asked;
    lines.push_back({stages[i].stage + (asked.empty() ? "" : "(" + asked + ")"), given_by(stages[i]),
                     deterministic ? going_on(stages, i) : "not at all, as rows come as they are ready"});
  }
  constexpr std::size_t widest = 60;
  std::array<std::size_t, 2> widths = {};
  for (const auto& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], std::min(line[i].size(), widest));
  std::string text;
  for (auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (line[i].size() > widest) line[i] = line[i].substr(0, widest - 3) + "...";
      text += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    }
    text += line[2] + "\n";
  }
  return text;
}

std::string spread_in_words(const std::vector<OpenedStage>& stages) {
  const OpenedStage& last = stages.back();
  if (last.spread == Spread::together) return "rows are read in their order";
  if (last.spread == Spread::scattered) return "each row is read where it lies, in any order";
  const std::uint64_t bytes = last.held_rows * row_bytes(stages, stages.size());
  return "runs of neighbours are read, in any order" +
         (last.held_rows == 0 ? ""
                              : ", and their rows held until they come, " + counted(last.held_rows, "row") +
                                    (bytes > 0 ? " of about " + format_bytes(bytes) : ""));
}

// About how many requests a batch takes, or what comes at once.
std::string requests(const std::vector<OpenedStage>& stages, std::uint64_t request_bytes) {
  const OpenedStage& last = stages.back();
  const std::uint64_t row = row_bytes(stages, stages.size());
  if (row == 0 || last.batch == 0) return "";
  const std::uint64_t bytes = last.batch * row;
  const std::uint64_t together = (bytes + request_bytes - 1) / request_bytes;
  const std::string all = counted(last.spread == Spread::scattered ? last.batch : together, "request");
  const bool is_of_runs = last.spread == Spread::runs && last.held_rows > 0;
  return "; a batch is " + (is_of_runs ? "then about " + all : all + " or fewer") + ", " + format_bytes(bytes);
}

std::string reading_in_words(const std::vector<OpenedStage>& stages, const ReadingOptions& options) {
  const OpenedStage& last = stages.back();
  if (last.files == 0) return "";
  std::string text = "reads " + counted(last.files, "file") + ", " + format_bytes(last.file_bytes) + ": ";
  const bool in_turn = std::ranges::none_of(stages, &OpenedStage::by_place);
  if (in_turn) return text + "from the first byte to the last, in turn\n";
  text += spread_in_words(stages);
  const std::uint64_t block = record_block(last.is_far), kept = *options.memory / 2;
  if (last.is_far) return text + requests(stages, block) + "\n";
  if (last.spread == Spread::runs) return text + "\n";
  text += ", in blocks of " + format_bytes(block) + "; the last used ones are kept, up to " + format_bytes(kept) +
          (last.file_bytes <= kept ? ", which is all of them" : "");
  return text + "\n";
}

}  // namespace

OpenedStage stage_of(const Plan& plan, const Opened& opened) {
  OpenedStage stage{.stage = plan.stage,
                    .asked = plan.asked,
                    .by_place = opened.is_sequence(),
                    .batch = opened.batch,
                    .spread = opened.spread,
                    .is_far = opened.is_far,
                    .files = opened.files,
                    .file_bytes = opened.file_bytes,
                    .resume = opened.resume,
                    .state_rows = opened.state_rows,
                    .held_rows = opened.held_rows};
  if (!stage.by_place) return stage;
  stage.elements = opened.sequence->size();
  stage.element_bytes = opened.sequence->element_bytes();
  return stage;
}

std::string explain(const std::vector<OpenedStage>& stages, const ReadingOptions& asked) {
  const ReadingOptions options = in_this_process(asked);
  const OpenedStage& last = stages.back();
  const std::string unit = last.batch > 0 ? "batch" : "chunk";
  std::string text = table(stages, options.deterministic) + "\n" + reading_in_words(stages, options);
  text += "threads: " + std::to_string(*options.cpus) + " at first, one for each CPU; up to " +
          std::to_string(std::max(options.most_threads, *options.cpus)) + " where they wait for storage\n";
  text += "memory: " + format_bytes(*options.memory) + ", half of it for what is made ready: at first up to " +
          counted(2 * std::uint64_t{*options.cpus} + 1, unit) + ", and as many as fit once one has come\n";
  return text;
}

}  // namespace carrack::data
