#include "operator/local/private_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "operator/error.h"

namespace carrack::control {
namespace {

// Short: a Unix socket's path holds 107 characters.
constexpr std::string_view parent = "/tmp";
constexpr std::string_view beginning = "carrack-sockets-";
constexpr std::string_view random_part = "XXXXXX";

// Of a folder that is ours; -1 where it is not, or another process has it.
int lock_of(const std::string& path, int wait) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat found {};
  const bool ours = folder >= 0 && fstat(folder, &found) == 0 && found.st_uid == geteuid();
  // Who had it until now may have removed it.
  if (ours && flock(folder, LOCK_EX | wait) == 0 && fstat(folder, &found) == 0 && found.st_nlink > 0) return folder;
  if (folder >= 0) close(folder);
  return -1;
}

void remove_what_dead_owners_left() {
  std::error_code failed;
  for (std::filesystem::directory_iterator at(parent, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename();
    if (!name.starts_with(beginning) || name.size() != beginning.size() + random_part.size()) continue;
    const int lock = lock_of(at->path(), LOCK_NB);
    if (lock < 0) continue;
    std::error_code ignored;
    std::filesystem::remove_all(at->path(), ignored);
    close(lock);
  }
}

}  // namespace

PrivateFolder::PrivateFolder() {
  remove_what_dead_owners_left();
  // Until it is locked, another process may take it for one that a dead owner left.
  while (lock_ < 0) {
    path_ = std::string(parent) + "/" + std::string(beginning) + std::string(random_part);
    if (mkdtemp(path_.data()) == nullptr) {
      throw Error(Blame::platform,
                  std::string(parent) + ": cannot make a folder for the run's sockets: " + std::strerror(errno));
    }
    lock_ = lock_of(path_, 0);
  }
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;  // What is left in /tmp is swept by the next.
  std::filesystem::remove_all(path_, ignored);
  close(lock_);
}

}  // namespace carrack::control
