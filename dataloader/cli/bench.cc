#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/measured_text.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/cli/trial.h"
#include "dataloader/error.h"
#include "dataloader/records/wire.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t spans_kept = 200'000;

// Bytes of the files, or of what came where a row is none of the files' bytes.
std::uint64_t bytes_of_row(const Reading& reading, const Rows& rows) {
  const std::uint64_t each = reading.stages().front().element_bytes;
  return each > 0 ? each * rows.count : bytes_of(rows);
}

Trial trial_of(std::string name, const Dataset& dataset, const Request& request, const Storages& storages,
               double seconds) {
  ReadingOptions options = means_for(request);
  if (!request.timeline.empty()) options.timeline = spans_kept;
  const auto begun = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
  Reading reading(dataset.batch(request.batch).repeat(), storages, options);
  const OpenedStage& source = reading.stages().front();
  Trial trial{.name = std::move(name), .opened_seconds = passed()};
  while (passed() < trial.opened_seconds + seconds) {
    const std::optional<Rows> rows = reading.next();
    if (!rows) break;
    trial.rows += rows->count;
    trial.bytes += bytes_of_row(reading, *rows);
    const bool is_first_time = source.elements == 0 || trial.rows + reading.lost() <= source.elements;
    if (is_first_time) trial.lost = reading.lost();
  }
  trial.seconds = passed() - trial.opened_seconds;
  if (source.by_place) trial.rows_in_files = source.elements;
  trial.measured = reading.measured();
  trial.measured.lost = trial.lost;
  trial.measured.lost_first.resize(std::min<std::size_t>(trial.measured.lost_first.size(), trial.lost));
  trial.timeline = reading.timeline();
  return trial;
}

void write_timeline(const Trial& trial, const std::string& name, const Storages& storages) {
  note_interrupts();
  const auto object = storages.for_url(name).create(name, {.must_not_exist = true});
  object->write(wire::bytes_of(trial.timeline));
  if (!object->commit()) throw Refused("--timeline: " + name + " has come to be meanwhile, and is not replaced");
}

}  // namespace

int bench(const Request& request, const Storages& storages, const std::vector<std::string>& environment) {
  constexpr std::uint64_t usually = 9;
  const double seconds = static_cast<double>(request.seconds.value_or(usually)) / 3;
  const Inputs inputs = inputs_to_read(request, storages, environment);
  if (!request.timeline.empty() && storages.for_url(request.timeline).stat(request.timeline))
    throw Refused("--timeline: " + request.timeline + " is there already; name another file, or remove it");
  std::vector<Trial> trials;
  const auto measure = [&](std::string name, const Dataset& dataset) {
    // Where all that there is is damaged, reading it again and again would give nothing for ever.
    if (!Reading(dataset, storages, means_for(request)).next())
      throw Refused(request.inputs.front() + ": holds no rows to measure with");
    trials.push_back(trial_of(std::move(name), dataset, request, storages, seconds));
  };
  const bool has_records = inputs.kind == InputKind::records || inputs.kind == InputKind::program;
  if (has_records) measure("records, in order", as_it_comes(inputs));
  if (const std::optional<Dataset> rows = parsed(request, storages, inputs)) {
    measure("parsed, in order", *rows);
    const bool by_place = trials.back().rows_in_files > 0;
    if (by_place) measure("parsed, shuffled", rows->shuffle());
  }
  if (!request.timeline.empty()) write_timeline(trials.back(), request.timeline, storages);
  print(request.json ? trials_json(trials) : trials_text(trials));
  return 0;
}

}  // namespace carrack::data::cli
