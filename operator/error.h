// The exception of the operator, thrown when an operation cannot continue. Outcomes on which a caller decides (a
// conflict, a lost reply, a failed process) are returned as values.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::control {

// Whose mistake the error is: the user's input is wrong; the machine, the storage or the cluster has failed; or Carrack
// has a bug. A command exits with 2 for `user`, and with 1 for the others.
enum class Blame { user, platform, bug };

class Error : public std::runtime_error {
 public:
  Error(Blame blame, const std::string& text) : std::runtime_error(text), blame_(blame) {}
  Blame blame() const { return blame_; }

 private:
  Blame blame_;
};

}  // namespace carrack::control
