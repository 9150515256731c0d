// How much memory and how many CPUs this process may use. The trainer and the data loader size their caches and thread
// pools by these numbers, and `carrack plan` assumes by default as many CPUs. Each function returns the least of what
// the machine has and the limits of all control groups (cgroup v1 or v2) that the process is in: 2 GiB in a container
// with that limit on a machine of 64 GiB. Memory and CPU time that are in use already are not subtracted.
//
// The functions read files in /proc and /sys at each call, and do not throw. With `root`, which is for tests, they read
// root + "/proc/..." and root + "/sys/..." instead.
#pragma once

#include <cstdint>
#include <string>

namespace carrack::data {

// Returns bytes; the largest std::uint64_t if neither the machine's memory nor a limit is known.
std::uint64_t memory_of_this_process(const std::string& root = "");

// Returns a number of CPUs, such as 4, 1.5 or 0.5. It is at most the number of CPUs that the calling thread may run on
// (its affinity), which counts as 1 if it is not known.
double cpus_of_this_process(const std::string& root = "");

}  // namespace carrack::data
