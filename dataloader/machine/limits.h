// What of this machine the process may use: of memory and CPUs the least of what there is and what each of the control
// groups that it is in allows, as the files under `root` tell.
#pragma once

#include <cstdint>
#include <string>

namespace carrack::data {

// In bytes.
std::uint64_t memory_of_this_process(const std::string& root = "");

// CPUs' worth of time, as "1.5"; at most as many as the scheduler may choose from.
double cpus_of_this_process(const std::string& root = "");

}  // namespace carrack::data
