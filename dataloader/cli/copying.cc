#include "dataloader/cli/copying.h"

#include <algorithm>
#include <string>

#include "dataloader/cli/survey.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/cli/words.h"
#include "dataloader/error.h"
#include "dataloader/machine/limits.h"
#include "dataloader/pipeline/reading.h"
#include "dataloader/pipeline/rows/write_examples.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/wire.h"

namespace carrack::data::cli {
namespace {

constexpr std::uint64_t faults_told = 10;

void tell(const Corrupt& fault, Progress& progress) {
  progress.clear();
  print_error("carrack data convert: left out: " + fault_text(fault) + "\n");
}

// Of those that are known by now; `told` were before.
void tell_new(const Reading& reading, bool may_skip, std::uint64_t most, std::uint64_t& told, Progress& progress) {
  for (; told < reading.lost_first().size(); ++told) {
    const Corrupt& fault = reading.lost_first()[told];
    if (!may_skip)
      throw Error(fault_text(fault) + "; " +
                  (fault.fault == Fault::wrong_type ? "--types says what columns hold, and " : "") +
                  "--skip-corrupt leaves it out");
    if (told < most) tell(fault, progress);
  }
}

bool holds_records(const Dataset& rows) {
  return rows.plan().stage == "program";
}

}  // namespace

Copied copy_records(const Request& request, const Storages& storages, const std::vector<Listed>& files,
                    Progress& progress, const Write& write) {
  Copied copied;
  for (const Listed& listed : files) {
    const WatchedFile file(storages.for_url(listed.url), listed, progress);
    const Front front{.ends_with_damage = !request.skip_corrupt};
    const FileLook look = look_at(file, front, [&](const Records& records) {
      for (const Record& record : records.records) write(record.data);
    });
    if (!look.holds_records()) throw Refused(no_records_text(look));
    for (const Corrupt& fault : look.faults) {
      if (!request.skip_corrupt) throw Error(fault_text(fault) + "; --skip-corrupt leaves it out");
      if (copied.damaged++ < faults_told) tell(fault, progress);
    }
    copied.records += look.records;
    copied.damaged += look.damaged - look.faults.size();
    copied.lost += look.lost;
  }
  return copied;
}

Copied copy_rows(const Request& request, const Storages& storages, const Dataset& rows, Progress& progress,
                 const Write& write, std::uint64_t most_told) {
  constexpr std::uint64_t memory = std::uint64_t{256} << 20;
  const ReadingOptions options{.cpus = threads_for(request),
                               .memory = std::min(memory, memory_of_this_process() / 4),
                               .skip_corrupt = true,
                               .check_cancelled = stop_if_interrupted};
  Reading reading(holds_records(rows) ? rows : rows.map("write examples", write_examples()), storages, options);
  Copied copied;
  std::uint64_t told = 0, seen = 0;
  while (const std::optional<Rows> chunk = reading.next()) {
    tell_new(reading, request.skip_corrupt, most_told, told, progress);
    std::uint64_t written = 0;
    for (const std::string_view record : std::get<LargeVector<std::string_view>>(chunk->column("record").values)) {
      write(wire::bytes_of(record));
      written += frame::size_of(record.size());
    }
    copied.records += chunk->count;
    // What is read in turn does not know how far it is in its files.
    const std::vector<StageTotals> stages = reading.measured().stages;
    const std::uint64_t now = stages.empty() || stages[0].bytes == 0 ? seen + written : stages[0].bytes;
    progress.add(now - std::min(seen, now));
    seen = std::max(seen, now);
  }
  tell_new(reading, request.skip_corrupt, most_told, told, progress);
  copied.damaged = reading.lost();
  copied.lost = reading.lost_bytes();
  return copied;
}

}  // namespace carrack::data::cli
