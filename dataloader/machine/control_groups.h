// What the kernel's files say of a process's limits: cgroups(7), of both versions, and proc(5). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::data {

// The groups that a process is in, by /proc/self/cgroup: its own and all that it is in, the top one last, as "". A
// container may see its own group alone, as the top one. Of one controller of the first version, or with "" of the
// second; none if there are no such.
std::vector<std::string> groups_in(std::string_view proc_self_cgroup, std::string_view controller);

// memory.max, and memory.limit_in_bytes; nothing for no limit.
std::optional<std::uint64_t> memory_limit_in(std::string_view text);
// cpu.max: how many CPUs' time there is. Nothing for no limit.
std::optional<double> cpu_limit_in(std::string_view cpu_max);
// The same by cpu.cfs_quota_us and cpu.cfs_period_us.
std::optional<double> cpu_limit_in(std::string_view quota, std::string_view period);

// All of the machine's, in bytes, by /proc/meminfo.
std::optional<std::uint64_t> memory_in(std::string_view proc_meminfo);

}  // namespace carrack::data
