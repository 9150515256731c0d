// The one exception of the trainer: thrown where nothing here can continue, caught at boundaries alone.
// Outcomes a caller chooses on (a lost peer, a corrupt record) are values, not Errors.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::train {

// Who has to act: it decides whether a retry can help and which condition the job shows.
enum class Blame { user, platform, bug };

class Error : public std::runtime_error {
 public:
  Error(Blame blame, const std::string& text) : std::runtime_error(text), blame_(blame) {}
  Blame blame() const { return blame_; }

 private:
  Blame blame_;
};

// The checkpoint folder belongs to another job. This job has failed: neither a retry nor another image helps.
class FolderTaken : public Error {
 public:
  explicit FolderTaken(const std::string& text) : Error(Blame::user, text) {}
};

}  // namespace carrack::train
