#include "dataloader/cli/survey.h"

#include <algorithm>
#include <cmath>

#include "dataloader/cli/inputs.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/machine/limits.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// So much is looked at of each file at least, as it takes a read anyway.
constexpr std::uint64_t least_bytes = std::uint64_t{256} << 10;

Front share_of(const Front& front, std::size_t files) {
  const std::uint64_t all = Front().bytes;
  const std::uint64_t count = std::max<std::uint64_t>(files, 1);
  return {std::max<std::uint64_t>(front.records / count, 1),
          front.bytes == all ? all : std::max(front.bytes / count, least_bytes)};
}

std::uint64_t bytes_to_read(const std::vector<Listed>& files, const Front& share) {
  std::uint64_t bytes = 0;
  for (const Listed& file : files) bytes += std::min(file.stat.size, share.bytes);
  return bytes;
}

// Of all files: beyond them faults are told as they are found, and counted.
constexpr std::size_t most_kept_faults = 100'000;

struct Looked {
  FileLook look;
  Summary summary;
  std::string failure;  // why it could not be read
};

Looked looked_at(const ByteSource& file, const Front& front, bool summarises) {
  Looked looked;
  ExampleWalker walker;
  try {
    looked.look = look_at(file, front, [&](const Records& records) {
      if (!summarises) return;
      std::uint64_t number = records.first;
      for (const Record& record : records.records) looked.summary.add(file.name(), number++, record.data, walker);
    });
  } catch (const Error& error) {
    looked.failure = error.what();
  }
  return looked;
}

template <typename Part>
std::uint64_t sum(const std::vector<FileLook>& files, Part part) {
  std::uint64_t total = 0;
  for (const FileLook& file : files) total += file.*part;
  return total;
}

}  // namespace

ReadResult WatchedFile::read(std::span<const Slice> slices) const {
  stop_if_interrupted();
  const ReadResult result = file_.read(slices);
  for (const Slice& slice : slices) {
    const std::uint64_t end = slice.offset + slice.into.size();
    const std::uint64_t before = reached_.exchange(std::max(end, reached_.load()));
    if (end > before) progress_.add(end - before);
  }
  return result;
}

unsigned threads_for(const Request& request) {
  return request.threads.value_or(static_cast<unsigned>(std::max(1.0, std::ceil(cpus_of_this_process()))));
}

std::uint64_t Survey::records() const {
  return sum(files, &FileLook::records);
}
std::uint64_t Survey::size() const {
  return sum(files, &FileLook::bytes);
}
std::uint64_t Survey::damaged() const {
  return sum(files, &FileLook::damaged);
}
std::uint64_t Survey::lost() const {
  return sum(files, &FileLook::lost);
}
bool Survey::whole() const {
  return std::all_of(files.begin(), files.end(), [](const FileLook& file) { return file.whole; });
}

Survey survey(const Request& request, const Storages& storages, const Looking& looking) {
  const std::vector<Listed> files = files_of(storages, request.inputs);
  const Front share = share_of(looking.front, files.size());
  Progress progress(bytes_to_read(files, share), errors_are_on_a_terminal());
  Survey survey;
  std::size_t kept_faults = 0;
  map_in_order(
      files.size(), threads_for(request),
      [&](std::size_t i) {
        const WatchedFile file(storages.for_url(files[i].url), files[i], progress);
        return looked_at(file, share, looking.summarises);
      },
      [&](std::size_t, Looked&& looked) {
        if (!looked.failure.empty()) {
          progress.clear();
          print_error("carrack data " + std::string(name_of(request.command)) + ": " + printable(looked.failure) +
                      "\n");
          survey.all_read = false;
          return;
        }
        if (!looked.look.faults.empty()) progress.clear();
        looking.each(looked.look);
        survey.summary.merge(looked.summary);
        if ((kept_faults += looked.look.faults.size()) > most_kept_faults) looked.look.faults.clear();
        survey.files.push_back(std::move(looked.look));
      });
  survey.bytes = progress.done();
  survey.seconds = progress.seconds();
  return survey;
}

}  // namespace carrack::data::cli
