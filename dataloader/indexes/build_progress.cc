#include "dataloader/indexes/build_progress.h"

#include <cstdio>
#include <utility>

namespace carrack::data {
namespace {

constexpr auto tell_every = std::chrono::seconds(10);

struct Unit {
  std::uint64_t bytes;
  const char* name;
};
constexpr Unit units[] = {{1'000'000'000'000, "TB"}, {1'000'000'000, "GB"}, {1'000'000, "MB"}, {1'000, "kB"}};

}  // namespace

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

BuildProgress::BuildProgress(std::size_t files, std::uint64_t bytes, Log log)
    : files_(files), bytes_(bytes), log_(std::move(log)), due_(Clock::now() + tell_every) {
  log_(text());
}

void BuildProgress::advance(std::uint64_t bytes, bool ends) {
  const std::lock_guard lock(mutex_);
  bytes_done_ += bytes;
  files_done_ += ends ? 1 : 0;
  if (Clock::now() < due_) return;
  due_ = Clock::now() + tell_every;
  log_(text());
}

std::string BuildProgress::text() const {
  return "indexing " + std::to_string(files_done_) + " of " + std::to_string(files_) + " files, " +
         amount_of(bytes_done_, bytes_);
}

}  // namespace carrack::data
