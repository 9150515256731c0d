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

std::string describe(const IndexingProgress& built) {
  return std::to_string(built.files) + " of " + std::to_string(built.files_total) + " files, " +
         amount_of(built.bytes, built.bytes_total);
}

BuildProgress::BuildProgress(std::size_t files, std::uint64_t bytes, std::function<void(const IndexingProgress&)> told)
    : told_(std::move(told)), built_{0, files, 0, bytes}, due_(Clock::now() + tell_every) {
  told_(built_);
}

void BuildProgress::advance(std::uint64_t bytes, bool ends) {
  const std::lock_guard lock(mutex_);
  built_.bytes += bytes;
  built_.files += ends ? 1 : 0;
  if (Clock::now() < due_) return;
  due_ = Clock::now() + tell_every;
  told_(built_);
}

}  // namespace carrack::data
