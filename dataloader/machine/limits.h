// How much memory and CPU time this process may use: the least of what the machine has and of the limits of all control
// groups that the process is in. `root` is where /proc and /sys are found, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace carrack::data {

// In bytes; the largest number if nothing is known.
std::uint64_t memory_of_this_process(const std::string& root = "");

// In CPUs, such as 1.5; at most the number of CPUs that the process may run on.
double cpus_of_this_process(const std::string& root = "");

}  // namespace carrack::data
