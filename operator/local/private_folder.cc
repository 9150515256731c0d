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

// The path must be short, because the path of a Unix socket has at most 107 characters.
constexpr std::string_view parent = "/tmp";
constexpr std::string_view name_prefix = "carrack-sockets-";
constexpr std::string_view random_part = "XXXXXX";

// Locks a folder until the returned descriptor is closed. Returns -1 if the folder does not exist or is another user's,
// or if `wait` is LOCK_NB and another process has locked it. If `wait` is 0, waits for the lock.
int lock_folder(const std::string& path, int wait) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat found {};
  const bool is_ours = folder >= 0 && fstat(folder, &found) == 0 && found.st_uid == geteuid();
  // st_nlink is 0 if another process has removed the folder while this one waited for the lock.
  if (is_ours && flock(folder, LOCK_EX | wait) == 0 && fstat(folder, &found) == 0 && found.st_nlink > 0) return folder;
  if (folder >= 0) close(folder);
  return -1;
}

// Each process locks its folder while it lives, so a folder that can be locked belongs to no process any more.
void remove_folders_of_dead_processes() {
  std::error_code failed;
  for (std::filesystem::directory_iterator at(parent, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename();
    if (!name.starts_with(name_prefix) || name.size() != name_prefix.size() + random_part.size()) continue;
    const int lock = lock_folder(at->path(), LOCK_NB);
    if (lock < 0) continue;
    std::error_code ignored;
    std::filesystem::remove_all(at->path(), ignored);
    close(lock);
  }
}

}  // namespace

PrivateFolder::PrivateFolder() {
  remove_folders_of_dead_processes();
  // Until the folder is locked, another process may consider it abandoned and remove it. The loop then makes another
  // one.
  while (lock_ < 0) {
    path_ = std::string(parent) + "/" + std::string(name_prefix) + std::string(random_part);
    if (mkdtemp(path_.data()) == nullptr) {
      throw Error(Blame::platform,
                  std::string(parent) + ": cannot make a folder for the run's sockets: " + std::strerror(errno));
    }
    lock_ = lock_folder(path_, 0);
  }
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;  // The next PrivateFolder removes what is left.
  std::filesystem::remove_all(path_, ignored);
  close(lock_);
}

}  // namespace carrack::control
