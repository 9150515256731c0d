#include "dataloader/cli/copy.h"

#include <algorithm>
#include <string>

#include "dataloader/cli/fault_lines.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/survey_files.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/machine/limits.h"
#include "dataloader/pipeline/rows/row_examples.h"
#include "dataloader/pipeline/stages/plan.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/wire.h"

namespace carrack::data::cli {
namespace {

constexpr std::uint64_t damage_reports_max = 10;

bool may_skip(const Request& request) {
  return request.on_damage == OnDamage::skip;
}

void report_skipped(const std::string& described, Progress& progress) {
  progress.clear();
  print_error("carrack data convert: left out: " + described + "\n");
}

// Returns the beginning of a sentence, which names the options that avoid the fault without leaving the row out; empty
// if there are none. The caller appends the rest of the sentence.
std::string_view advice_on(Fault fault) {
  if (fault == Fault::no_value) return "--fill sets a value where a row has none, and ";
  if (fault == Fault::wrong_type)
    return "--types says what columns hold, --missing which texts stand for no value, and ";
  return "";
}

// Reports the rows that `reading` has skipped since the last call, and counts them in `reported`; prints only the first
// `reports_max` of them. Unless rows may be skipped, throws an Error for the first one.
void report_new(const Reading& reading, bool may_skip, std::uint64_t reports_max, std::uint64_t& reported,
                FaultLines& lines, Progress& progress) {
  for (; reported < reading.first_lost().size(); ++reported) {
    const Corrupt& fault = reading.first_lost()[reported];
    if (!may_skip)
      throw Error(lines.describe(fault) + "; " + std::string(advice_on(fault.fault)) +
                  "--on-damage skip leaves it out");
    if (reported < reports_max) report_skipped(lines.describe(fault), progress);
  }
}

// Returns whether all that follows the fault in its input is lost, too.
bool ends_input(const Corrupt& fault) {
  return fault.fault == Fault::bad_stream || fault.fault == Fault::program_failed;
}

bool holds_records(const Dataset& rows) {
  return std::holds_alternative<stages::ProgramRecords>(rows.plan().stage);
}

}  // namespace

ReadingOptions copy_options(const Request& request) {
  constexpr std::uint64_t memory = std::uint64_t{256} << 20;
  return {.cpus = thread_count(request),
          .memory = std::min(memory, memory_of_this_process() / 4),
          .on_damage = OnDamage::skip,
          .check_cancelled = check_interrupted};
}

std::uint64_t bytes_read(const Reading& reading) {
  const std::vector<StageTotals> stages = reading.measured().stages;
  return stages.empty() ? 0 : stages[0].bytes;
}

CopyResult copy_records(const Request& request, const Storages& storages, const std::vector<Listed>& files,
                        Progress& progress, const WriteRecord& write) {
  CopyResult copied;
  for (const Listed& listed : files) {
    const TrackedFile file(storages.for_url(listed.url), listed, progress);
    const SurveyLimit limit{.stop_at_damage = !may_skip(request)};
    const FileSurvey survey = survey_file(file, limit, [&](const Records& records) {
      for (const Record& record : records.records) write(record.data);
    });
    if (!survey.holds_records()) throw Refused(no_records_message(survey));
    for (const Corrupt& fault : survey.faults) {
      // A changed file may have other records, so this is not damage that may be left out.
      if (fault.fault == Fault::changed) throw Error(describe_fault(fault));
      if (!may_skip(request)) throw Error(describe_fault(fault) + "; --on-damage skip leaves it out");
      if (copied.skipped++ < damage_reports_max) report_skipped(describe_fault(fault), progress);
    }
    copied.records += survey.records;
    copied.skipped += survey.damaged_spans - survey.faults.size();  // `faults` lists only the first damaged spans.
    copied.skipped_bytes += survey.lost_bytes;
    copied.unread_inputs += survey.ends_in_damage ? 1 : 0;
    copied.input_bytes += survey.frame_bytes + survey.lost_bytes;
  }
  return copied;
}

CopyResult copy_rows(const Request& request, const Storages& storages, const Inputs& inputs, Progress& progress,
                     const WriteRecord& write, std::uint64_t reports_max) {
  const Dataset& rows = inputs.rows.value();
  FaultLines lines(storages, inputs);
  const bool are_records = holds_records(rows);
  Reading reading(are_records ? rows : rows.map("write examples", write_examples()), storages, copy_options(request));
  CopyResult copied;
  std::uint64_t reported = 0, read_bytes = 0, frame_bytes = 0;
  while (const std::optional<Rows> chunk = reading.next()) {
    report_new(reading, may_skip(request), reports_max, reported, lines, progress);
    std::uint64_t written_bytes = 0;
    for (const std::string_view record : std::get<LargeVector<std::string_view>>(chunk->column("record").values)) {
      write(wire::bytes_of(record));
      written_bytes += frame::size_of(record.size());
    }
    copied.records += chunk->count;
    frame_bytes += written_bytes;
    // For a program bytes_read() is 0, because its input is unknown. The progress then counts the written bytes.
    copied.input_bytes = bytes_read(reading);
    const std::uint64_t now = copied.input_bytes > 0 ? copied.input_bytes : read_bytes + written_bytes;
    progress.add(now - std::min(read_bytes, now));
    read_bytes = std::max(read_bytes, now);
  }
  report_new(reading, may_skip(request), reports_max, reported, lines, progress);
  copied.skipped = reading.lost();
  copied.skipped_bytes = reading.lost_bytes();
  copied.input_bytes = are_records ? frame_bytes + copied.skipped_bytes : bytes_read(reading);
  copied.unread_inputs = static_cast<std::uint64_t>(std::ranges::count_if(reading.first_lost(), ends_input));
  return copied;
}

}  // namespace carrack::data::cli
