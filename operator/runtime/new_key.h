// Draws the key of a job from the machine's source of randomness.
#pragma once

#include <string>

namespace carrack::control {

// Returns 32 random bytes as 64 hexadecimal digits. Throws Error with Blame::platform if the system returns no random
// bytes.
std::string new_key();

}  // namespace carrack::control
