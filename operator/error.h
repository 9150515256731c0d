// The one exception of the operator: thrown where nothing here can continue, caught at boundaries alone.
// Outcomes a caller chooses on (a conflict, a lost reply, a failed process) are values, not Errors.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::control {

// Who has to act: it decides whether a retry can help and which condition the job shows.
enum class Blame { user, platform, bug };

class Error : public std::runtime_error {
 public:
  Error(Blame blame, const std::string& text) : std::runtime_error(text), blame_(blame) {}
  Blame blame() const { return blame_; }

 private:
  Blame blame_;
};

}  // namespace carrack::control
