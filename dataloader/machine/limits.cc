#include "dataloader/machine/limits.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "dataloader/machine/control_groups.h"

namespace carrack::data {
namespace {

const std::string groups = "/sys/fs/cgroup";

// Empty where there is no such file.
std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t cpus_to_choose_from() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0;
  return known ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

}  // namespace

std::uint64_t memory_of_this_process(const std::string& root) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = memory_in(text_of(root + "/proc/meminfo")).value_or(no_limit);
  const auto take = [&](const std::string& file) {
    least = std::min(least, memory_limit_in(text_of(file)).value_or(no_limit));
  };
  const std::string own = text_of(root + "/proc/self/cgroup");
  for (const std::string& group : groups_in(own, "")) take(root + groups + group + "/memory.max");
  for (const std::string& group : groups_in(own, "memory"))
    take(root + groups + "/memory" + group + "/memory.limit_in_bytes");
  return least;
}

double cpus_of_this_process(const std::string& root) {
  auto least = static_cast<double>(cpus_to_choose_from());
  const std::string own = text_of(root + "/proc/self/cgroup");
  for (const std::string& group : groups_in(own, ""))
    least = std::min(least, cpu_limit_in(text_of(root + groups + group + "/cpu.max")).value_or(least));
  for (const std::string& group : groups_in(own, "cpu")) {
    const std::string folder = root + groups + "/cpu" + group;
    const auto limit = cpu_limit_in(text_of(folder + "/cpu.cfs_quota_us"), text_of(folder + "/cpu.cfs_period_us"));
    least = std::min(least, limit.value_or(least));
  }
  return least;
}

}  // namespace carrack::data
