// Draws the key of a job from the machine's source of randomness.
#pragma once

#include <string>

namespace carrack::control {

// 32 random bytes, as hexadecimal digits. Throws Error if the machine has none.
std::string new_key();

}  // namespace carrack::control
