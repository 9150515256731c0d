// Parses the files in which Linux reports the CPU and memory limits of a container: those of control groups (cgroups v1
// and v2, cgroups(7)) and of /proc. limits.h reads the files and combines the limits. Text that cannot be parsed, such
// as the empty text of a missing file, counts as no limit. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::data {

// Returns the paths of the groups that a process is in, from the text of /proc/self/cgroup: {"/a/b", "/a", ""} for a
// process in /a/b; "" is the root. A limit of any of them applies. A container may see only its own group, as the root.
// `controller` is a controller of version 1, such as "memory", or "" for version 2. Empty if the process is in no such
// group.
std::vector<std::string> groups_in(std::string_view proc_self_cgroup, std::string_view controller);

// Returns the limit in memory.max (version 2) or memory.limit_in_bytes (version 1), in bytes; nullopt if there is none.
// Version 1 writes a number near 2^63 if there is no limit, which is returned like any other.
std::optional<std::uint64_t> memory_limit_in(std::string_view text);
// Returns the limit in cpu.max (version 2), in CPUs, such as 1.5; nullopt if there is none.
std::optional<double> cpu_limit_in(std::string_view cpu_max);
// Returns the limit in cpu.cfs_quota_us and cpu.cfs_period_us (version 1), in CPUs; nullopt if there is none. The
// arguments are the texts of these two files.
std::optional<double> cpu_limit_in(std::string_view quota, std::string_view period);

// Returns the memory of the machine in bytes, from /proc/meminfo; nullopt if the text does not have it.
std::optional<std::uint64_t> memory_in(std::string_view proc_meminfo);

}  // namespace carrack::data
