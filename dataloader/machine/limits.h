// How much memory and how many CPUs this process may use: the least of what the machine has and the limits of all
// control groups that the process is in. What is in use already is not subtracted. Both functions read files at each
// call. `root` is a folder to use instead of / for /proc and /sys, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace carrack::data {

// Returns bytes; the largest std::uint64_t if neither the machine's memory nor a limit is known.
std::uint64_t memory_of_this_process(const std::string& root = "");

// Returns a number of CPUs, such as 1.5 or 0.5. It is at most the number of CPUs that the calling thread may run on,
// which counts as 1 if it is not known.
double cpus_of_this_process(const std::string& root = "");

}  // namespace carrack::data
