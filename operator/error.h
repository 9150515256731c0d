// The exception of the operator, thrown when an operation cannot continue. Outcomes that a caller decides on (a
// conflict, a lost reply, a failed process) are values, not Errors.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::control {

// Who has to act. A command exits with 2 for `user`, and with 1 for the others.
enum class Blame { user, platform, bug };

class Error : public std::runtime_error {
 public:
  Error(Blame blame, const std::string& text) : std::runtime_error(text), blame_(blame) {}
  Blame blame() const { return blame_; }

 private:
  Blame blame_;
};

}  // namespace carrack::control
