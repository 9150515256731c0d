#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/cli/bench_pipeline.h"
#include "dataloader/cli/bench_report.h"
#include "dataloader/cli/commands.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/records/wire.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t timeline_spans_max = 200'000;

// Returns about how many bytes the rows have in the files, or their size in memory if that is unknown.
std::uint64_t bytes_read(const Reading& reading, const Rows& rows) {
  const std::uint64_t each = reading.stages().front().element_bytes;
  return each > 0 ? each * rows.count : bytes_of(rows);
}

// Opens the data set, and then reads batches of it repeatedly for `seconds`.
BenchRun run_bench(std::string name, const Dataset& dataset, const Request& request, const Storages& storages,
                   double seconds) {
  ReadingOptions options = reading_options(request);
  if (!request.timeline.empty()) options.timeline = timeline_spans_max;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  Reading reading(dataset.batch(request.batch).repeat(), storages, options);
  const OpenedStage& source = reading.stages().front();
  BenchRun run{.name = std::move(name), .open_seconds = elapsed()};
  while (elapsed() < run.open_seconds + seconds) {
    const std::optional<Rows> rows = reading.next();
    if (!rows) break;
    run.rows += rows->count;
    run.bytes += bytes_read(reading, *rows);
    // Each pass over the files loses the same damaged rows again, so only the first pass counts. If the length of a
    // pass is unknown (`elements` is 0), all passes count.
    const bool is_first_pass = source.elements == 0 || run.rows + reading.lost() <= source.elements;
    if (is_first_pass) run.skipped_rows = reading.lost();
  }
  run.seconds = elapsed() - run.open_seconds;
  if (source.is_sequence) run.rows_in_files = source.elements;
  run.measured = reading.measured();
  run.measured.lost = run.skipped_rows;
  run.measured.first_lost.resize(std::min<std::size_t>(run.measured.first_lost.size(), run.skipped_rows));
  run.timeline = reading.timeline();
  return run;
}

// Writes the file of --timeline, which says what each thread did when. Throws Refused if the file exists by now.
void write_timeline(const BenchRun& run, const std::string& name, const Storages& storages) {
  defer_interrupts();  // Otherwise an interrupt would not remove the unfinished file.
  const auto object = storages.for_url(name).create(name, {.must_not_exist = true});
  object->write(wire::bytes_of(run.timeline));
  if (!object->commit()) throw Refused("--timeline: " + name + " was created meanwhile, and is not replaced");
}

// Measures how fast the inputs can be read: unparsed, parsed and shuffled, as far as they allow it. Each measurement
// takes a third of --seconds.
std::vector<BenchRun> measure_all(const Request& request, const Storages& storages, const Inputs& inputs) {
  constexpr std::uint64_t default_seconds = 9;
  const double seconds_per_run = static_cast<double>(request.seconds.value_or(default_seconds)) / 3;
  std::vector<BenchRun> runs;
  const auto measure = [&](std::string name, const Dataset& dataset) {
    // Checks that there is a usable row, because reading a repeated data set without one would never end.
    if (!Reading(dataset, storages, reading_options(request)).next())
      throw Refused(request.inputs.front() + ": holds no rows to measure with");
    runs.push_back(run_bench(std::move(name), dataset, request, storages, seconds_per_run));
  };
  const bool has_records = inputs.kind == InputKind::records || inputs.kind == InputKind::program;
  if (has_records) measure("records, in order", unparsed_rows(inputs));
  if (const std::optional<Dataset> rows = parsed_rows(request, storages, inputs)) {
    measure("parsed, in order", *rows);
    // A shuffle is measured only for a sequence, whose rows can be read in any order. Other rows can only be read from
    // front to back.
    const bool is_sequence = runs.back().rows_in_files > 0;
    if (is_sequence) measure("parsed, shuffled", rows->shuffle());
  }
  return runs;
}

}  // namespace

int bench(const Request& request, const Storages& storages) {
  const Inputs inputs = open_bench_inputs(request, storages);
  if (!request.timeline.empty() && storages.for_url(request.timeline).stat(request.timeline))
    throw Refused("--timeline: " + request.timeline + " is there already; name another file, or remove it");
  std::vector<BenchRun> runs;
  try {
    runs = measure_all(request, storages, inputs);
  } catch (const Damaged& damaged) {
    throw Error(describe_fault(damaged.why()) + "; --on-damage skip leaves it out");
  }
  if (!request.timeline.empty()) write_timeline(runs.back(), request.timeline, storages);
  print(request.json ? bench_json(runs) : bench_text(runs));
  return 0;
}

}  // namespace carrack::data::cli
