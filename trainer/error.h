// The exception of the trainer's own code, thrown where it cannot continue. Storage and the dataloader throw
// data::Error, which is not a train::Error. Outcomes that a caller decides on (a lost peer, a corrupt record) are
// values.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::train {

// user: the job fails, since a retry would fail in the same way. platform: a retry may help. bug: a fault of Carrack,
// which is retried like platform.
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
