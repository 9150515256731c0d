#include "dataloader/indexes/build_progress.h"

#include <cstdio>
#include <utility>

#include "dataloader/check.h"

namespace carrack::data {
namespace {

constexpr auto report_every = std::chrono::seconds(10);

struct Unit {
  std::uint64_t bytes;
  const char* name;
};
constexpr Unit units[] = {{1'000'000'000'000, "TB"}, {1'000'000'000, "GB"}, {1'000'000, "MB"}, {1'000, "kB"}};

std::string amount_of(std::uint64_t part, std::uint64_t whole) {
  for (const auto& [bytes, name] : units) {
    if (whole < bytes) continue;
    const auto in_unit = [size = static_cast<double>(bytes)](std::uint64_t number) {
      return static_cast<double>(number) / size;
    };
    char text[64];
    std::snprintf(text, sizeof text, "%.1f of %.1f %s", in_unit(part), in_unit(whole), name);
    return text;
  }
  return std::to_string(part) + " of " + std::to_string(whole) + " bytes";
}

}  // namespace

std::string describe(const IndexingProgress& progress) {
  return std::to_string(progress.files) + " of " + std::to_string(progress.files_total) + " files, " +
         amount_of(progress.bytes, progress.bytes_total);
}

BuildProgress::BuildProgress(std::size_t files, std::uint64_t bytes,
                             std::function<void(const IndexingProgress&)> report)
    : report_(std::move(report)), progress_{0, files, 0, bytes}, next_report_(Clock::now() + report_every) {
  MutexLock lock(mutex_);
  report_(progress_);
}

void BuildProgress::advance(std::uint64_t bytes, bool ends_file) {
  MutexLock lock(mutex_);
  progress_.bytes += bytes;
  progress_.files += ends_file ? 1 : 0;
  CHECK_LE(progress_.files, progress_.files_total);
  if (Clock::now() < next_report_) return;
  next_report_ = Clock::now() + report_every;
  report_(progress_);
}

}  // namespace carrack::data
