#include "dataloader/pipeline/explain.h"

#include <algorithm>
#include <array>

#include "dataloader/pipeline/reading.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

std::string describe_elements(const OpenedStage& stage) {
  const std::string noun = stage.batch > 0 ? "batch" : "row";
  if (!stage.is_sequence) return noun + (stage.batch > 0 ? "es" : "s") + " as they come";
  if (stage.elements >= endless) return noun + (stage.batch > 0 ? "es" : "s") + " without end, by place";
  return counted(stage.elements, noun) + ", by place";
}

// Returns about how many bytes of storage a row takes after the first `end` stages; 0 if it is unknown.
std::uint64_t row_bytes(const std::vector<OpenedStage>& stages, std::size_t end) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < end; ++i)
    if (stages[i].batch == 0 && stages[i].element_bytes > 0) bytes = stages[i].element_bytes;
  return bytes;
}

std::string describe_resume(const std::vector<OpenedStage>& stages, std::size_t number) {
  const OpenedStage& stage = stages[number];
  if (stage.facts.resume == Resume::none) return "not at all";
  if (stage.facts.state_rows > 0) {
    const std::uint64_t bytes = stage.facts.state_rows * row_bytes(stages, number);
    return "exactly, with " + counted(stage.facts.state_rows, "row") + " in the state" +
           (bytes > 0 ? ", about " + format_bytes(bytes) : "");
  }
  return stage.facts.resume == Resume::exact ? "exactly, from a few numbers"
                                             : "exactly, by reading again what came before";
}

std::string table(const std::vector<OpenedStage>& stages, bool deterministic) {
  std::vector<std::array<std::string, 3>> lines = {{"stage", "gives", "goes on"}};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string& description = stages[i].description;
    lines.push_back({stages[i].kind + (description.empty() ? "" : "(" + description + ")"),
                     describe_elements(stages[i]),
                     deterministic ? describe_resume(stages, i) : "not at all, as rows come as they are ready"});
  }
  constexpr std::size_t width_max = 60;
  std::array<std::size_t, 2> widths = {};
  for (const auto& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], std::min(line[i].size(), width_max));
  std::string text;
  for (auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (line[i].size() > width_max) line[i] = line[i].substr(0, width_max - 3) + "...";
      text += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    }
    text += line[2] + "\n";
  }
  return text;
}

std::string describe_order(const std::vector<OpenedStage>& stages) {
  const OpenedStage& last = stages.back();
  if (last.facts.read_order == ReadOrder::as_stored) return "rows are read in their order";
  if (last.facts.read_order == ReadOrder::scattered) return "each row is read where it lies, in any order";
  const std::uint64_t bytes = last.facts.held_rows * row_bytes(stages, stages.size());
  return "runs of neighbours are read, in any order" +
         (last.facts.held_rows == 0 ? ""
                                    : ", and their rows held until they come, " + counted(last.facts.held_rows, "row") +
                                          (bytes > 0 ? " of about " + format_bytes(bytes) : ""));
}

// Returns a text that says about how many requests to storage a batch takes, and how many bytes it has. Returns "" if
// there are no batches or if the size of a row is unknown.
std::string describe_requests(const std::vector<OpenedStage>& stages, std::uint64_t request_bytes) {
  const OpenedStage& last = stages.back();
  const std::uint64_t row = row_bytes(stages, stages.size());
  if (row == 0 || last.batch == 0) return "";
  const std::uint64_t bytes = last.batch * row;
  const std::uint64_t together = (bytes + request_bytes - 1) / request_bytes;
  const std::string all = counted(last.facts.read_order == ReadOrder::scattered ? last.batch : together, "request");
  const bool comes_from_runs = last.facts.read_order == ReadOrder::runs && last.facts.held_rows > 0;
  return "; a batch is " + (comes_from_runs ? "then about " + all : all + " or fewer") + ", " + format_bytes(bytes);
}

std::string describe_reading(const std::vector<OpenedStage>& stages, const ReadingOptions& options) {
  const OpenedStage& last = stages.back();
  if (last.facts.files == 0) return "";
  std::string text = "reads " + counted(last.facts.files, "file") + ", " + format_bytes(last.facts.file_bytes) + ": ";
  const bool in_turn = std::ranges::none_of(stages, &OpenedStage::is_sequence);
  if (in_turn) return text + "from the first byte to the last, in turn\n";
  text += describe_order(stages);
  const std::uint64_t block = record_block_bytes(last.facts.prefers_runs()), kept = *options.memory / 2;
  if (last.facts.is_remote) return text + describe_requests(stages, block) + "\n";
  if (last.facts.read_order == ReadOrder::runs) return text + "\n";
  text += ", in blocks of " + format_bytes(block) + "; the last used ones are kept, up to " + format_bytes(kept) +
          (last.facts.file_bytes <= kept && !last.facts.is_inflated ? ", which is all of them" : "");
  return text + "\n";
}

}  // namespace

std::string explain(const std::vector<OpenedStage>& stages, const ReadingOptions& given_options) {
  const ReadingOptions options = with_process_defaults(given_options);
  const OpenedStage& last = stages.back();
  const std::string unit = last.batch > 0 ? "batch" : "chunk";
  std::string text = table(stages, options.deterministic) + "\n" + describe_reading(stages, options);
  text += "threads: " + std::to_string(*options.cpus) + " at first, one for each CPU; up to " +
          std::to_string(std::max(options.max_threads, *options.cpus)) + " where they wait for storage\n";
  text += "memory: " + format_bytes(*options.memory) + ", half of it for what is made ready: at first up to " +
          counted(2 * std::uint64_t{*options.cpus} + 1, unit) + ", and as many as fit once one has come\n";
  return text;
}

}  // namespace carrack::data
