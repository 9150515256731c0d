#include "dataloader/storage/file/temporary_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

Descriptor create_new(const std::string& path, const std::string& final_path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number() < 0) throw_system_error(final_path, "create it");
  return file;
}

// Returns the kernel's name of the file system, such as "vfat" or "fuse.gcsfuse".
std::string file_system_of(const struct stat& status) {
  const std::string device = std::to_string(major(status.st_dev)) + ":" + std::to_string(minor(status.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");  // See proc_pid_mountinfo(5).
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id, parent, found, kind;
    fields >> id >> parent >> found;
    const std::size_t dash = line.find(" - ");
    if (found != device || dash == std::string::npos) continue;
    std::istringstream(line.substr(dash + 3)) >> kind;
    return kind;
  }
  return "of unknown kind";
}

bool means_no_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
}

bool is_same_file(const struct stat& ours, const std::string& path) {
  struct stat theirs {};
  return ::stat(path.c_str(), &theirs) == 0 && theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& folder, const std::string& unique_name, const std::string& final_path)
    : path_(folder + "/" + std::string(temporary_prefix) + unique_name), file_(create_new(path_, final_path)) {}

TemporaryFile::~TemporaryFile() {
  ::unlink(path_.c_str());
}

bool TemporaryFile::lock() {
  // Errors other than EWOULDBLOCK mean that the file system has no such locks. Then remove_abandoned() cannot lock
  // files either, and removes none.
  const bool is_locked_by_other = ::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !is_locked_by_other && status_of(file_, path_).st_nlink > 0;
}

void remove_abandoned(const std::string& folder, const std::string& prefix) {
  const std::string begin = std::string(temporary_prefix) + prefix;
  for (const auto& entry : entries_in(folder)) {
    if (!entry.path().filename().string().starts_with(begin)) continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (file.number() >= 0 && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

TemporaryFile::LinkResult TemporaryFile::link_to(const std::string& path) {
  if (::link(path_.c_str(), path.c_str()) == 0) return LinkResult::linked;
  const int error = errno;
  const struct stat status = status_of(file_, path_);
  // NFS repeats a request whose reply was lost. If the first request has linked this file, the second request finds
  // that the name exists.
  if (error == EEXIST) return is_same_file(status, path) ? LinkResult::linked : LinkResult::name_taken;
  if (error == ENOENT && status.st_nlink == 0) return LinkResult::removed;
  if (means_no_links(error)) {
    throw Refused(
        split_path(path).folder + " is on a file system (" + file_system_of(status) +
        ") that has no hard links, without which two writers cannot be kept apart; use a local disk, NFS or gs://");
  }
  errno = error;
  throw_system_error(path, "link it");
}

void TemporaryFile::rename_to(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) throw_system_error(path, "give it its name");
}

}  // namespace carrack::data
