// Parses the kernel's files about limits of a process: control groups of both versions, cgroups(7), and proc(5). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::data {

// The groups that a process is in, from /proc/self/cgroup: its own, then each parent, and last the root as "". A
// container may see only its own group, as the root. `controller` names one of version 1; "" means version 2. Empty if
// the process is in no such group.
std::vector<std::string> groups_in(std::string_view proc_self_cgroup, std::string_view controller);

// From memory.max or memory.limit_in_bytes, in bytes; nullopt if there is no limit.
std::optional<std::uint64_t> memory_limit_in(std::string_view text);
// From cpu.max, in CPUs; nullopt if there is no limit.
std::optional<double> cpu_limit_in(std::string_view cpu_max);
// The same from cpu.cfs_quota_us and cpu.cfs_period_us.
std::optional<double> cpu_limit_in(std::string_view quota, std::string_view period);

// The machine's memory in bytes, from /proc/meminfo; nullopt if it is not there.
std::optional<std::uint64_t> memory_in(std::string_view proc_meminfo);

}  // namespace carrack::data
