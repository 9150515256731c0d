// Error: the exception that the trainer's own code throws. Storage and the dataloader throw data::Error instead, which
// is not a train::Error. Outcomes that a caller has to handle, such as a lost peer, are return values and not
// exceptions.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::train {

// Whose mistake an error is. It determines the exit code of the process (launch/exit.h). user: the job fails, because a
// retry would fail in the same way. platform: a retry may help. bug: a fault of Carrack, which is retried like
// platform.
enum class Blame { user, platform, bug };

class Error : public std::runtime_error {
 public:
  Error(Blame blame, const std::string& text) : std::runtime_error(text), blame_(blame) {}
  Blame blame() const { return blame_; }

 private:
  Blame blame_;
};

// Thrown if the checkpoint folder belongs to another job. The process exits with Exit::checkpoint_taken and the job
// fails, because neither a retry nor another image helps.
class FolderTaken : public Error {
 public:
  explicit FolderTaken(const std::string& text) : Error(Blame::user, text) {}
};

}  // namespace carrack::train
