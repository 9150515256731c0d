#include "dataloader/machine/limits.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "dataloader/machine/control_groups.h"

namespace carrack::data {
namespace {

constexpr char groups[] = "/sys/fs/cgroup";

// Returns the text of a file; empty if the file cannot be read.
std::string read_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the number of CPUs on which this process may run; 1 if it is unknown.
std::size_t schedulable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool is_known = ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0;
  return is_known ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

}  // namespace

std::uint64_t memory_of_this_process(const std::string& root) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = memory_in(read_text(root + "/proc/meminfo")).value_or(no_limit);
  const auto apply_limit = [&](const std::string& file) {
    least = std::min(least, memory_limit_in(read_text(file)).value_or(no_limit));
  };
  const std::string own = read_text(root + "/proc/self/cgroup");
  // Control groups of version 2 have the limit in memory.max, and those of version 1 in memory.limit_in_bytes.
  for (const std::string& group : groups_in(own, "")) apply_limit(root + groups + group + "/memory.max");
  for (const std::string& group : groups_in(own, "memory"))
    apply_limit(root + groups + "/memory" + group + "/memory.limit_in_bytes");
  return least;
}

double cpus_of_this_process(const std::string& root) {
  // Begins with the number of CPUs on which the scheduler may run this process. The quotas of control groups may be
  // lower: cpu.max of version 2, and cpu.cfs_quota_us of version 1.
  auto least = static_cast<double>(schedulable_cpus());
  const std::string own = read_text(root + "/proc/self/cgroup");
  for (const std::string& group : groups_in(own, ""))
    least = std::min(least, cpu_limit_in(read_text(root + groups + group + "/cpu.max")).value_or(least));
  for (const std::string& group : groups_in(own, "cpu")) {
    const std::string folder = root + groups + "/cpu" + group;
    const auto limit = cpu_limit_in(read_text(folder + "/cpu.cfs_quota_us"), read_text(folder + "/cpu.cfs_period_us"));
    least = std::min(least, limit.value_or(least));
  }
  return least;
}

}  // namespace carrack::data
