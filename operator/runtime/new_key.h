// Creates the secret key of a job, by which its processes authenticate each other.
#pragma once

#include <string>

namespace carrack::control {

// Returns 32 new random bytes from getrandom(), as 64 hexadecimal digits. Throws Error with Blame::platform if the
// system returns no random bytes.
std::string new_key();

}  // namespace carrack::control
