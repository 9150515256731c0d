#include "operator/local/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

#include "operator/codec/job.h"
#include "operator/codec/status_fields.h"
#include "operator/error.h"
#include "operator/local/text_file.h"

namespace carrack::control {
namespace {

constexpr const char* job_file = "/job.json";
// A copy of the last job.json that save() has written to the disk. After a power failure a later job.json may be empty,
// because some file systems, such as XFS, write a new name to the disk before the content of the file.
constexpr const char* synced_file = "/job.json.synced";
constexpr const char* lock_file = "/lock";
// The lock is tried several times, because is_run_at_work() in another process may lock it for a moment.
constexpr int lock_tries = 5;
constexpr auto lock_interval = std::chrono::milliseconds(20);

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(Blame::platform, path + ": cannot be " + what + ": " + std::strerror(errno));
}

// Returns true if other users cannot enter some folder above this one. That folder must belong to this user or to root,
// because another owner could open it to others.
bool is_below_a_private_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::path above = std::filesystem::canonical(path, failed);
  while (!failed && above.has_relative_path()) {
    above = above.parent_path();
    struct stat found {};
    if (stat(above.c_str(), &found) != 0) return false;
    const bool is_trusted = found.st_uid == geteuid() || found.st_uid == 0;
    if (is_trusted && (found.st_mode & (S_IXGRP | S_IXOTH)) == 0) return true;
  }
  return false;
}

// Throws Error unless this user owns the folder and nobody else can write to it, because this process must not trust
// files of other users.
void require_private(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) fail(path, "read");
  if (found.st_uid != geteuid()) {
    throw Error(Blame::user, path + ": belongs to another user; give another --folder");
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !is_below_a_private_folder(path)) {
    throw Error(Blame::user, path + ": other users can write to it; chmod go-w it, or give another --folder");
  }
}

}  // namespace

void create_folder(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, failed);
  if (!failed && mkdir(path.c_str(), 0755) != 0) {
    const int failure = errno == EEXIST ? ENOTDIR : errno;
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) failed = std::error_code(failure, std::generic_category());
  }
  if (failed) {
    throw Error(Blame::user, path + ": cannot be made a folder: " + failed.message() + "; give another --folder");
  }
}

namespace {

// Creates and locks the folder. It is locked until the returned descriptor is closed.
int lock_folder(const std::string& path) {
  create_folder(path);
  require_private(path);
  const std::string file = path + lock_file;
  const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock < 0) fail(file, "written");
  bool is_taken = false;
  for (int tries = 0; tries < lock_tries; ++tries) {
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
    is_taken = errno == EWOULDBLOCK;
    std::this_thread::sleep_for(lock_interval);
  }
  close(lock);
  if (!is_taken) fail(file, "locked");
  throw Error(Blame::user,
              path + ": another `carrack run` is at work there; wait until it has ended, or give another --folder");
}

void sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  if (!synced) fail(path, "written to disk");
}

// Replaces the file atomically. If `must_last`, its content is on the disk before the file gets its name.
void replace_file(const std::string& file, const std::string& text, bool must_last) {
  const std::string fresh = file + ".new";
  write_text_file(fresh, text);
  if (must_last) sync(fresh);
  if (rename(fresh.c_str(), file.c_str()) != 0) fail(file, "written");
}

// Returns the text of the saved job. If a power failure has emptied its file, returns the copy.
std::string saved_text(const std::string& path) {
  std::string text = read_text_file(path + job_file);
  std::error_code unknown;
  if (text.empty() && std::filesystem::exists(path + synced_file, unknown)) return read_text_file(path + synced_file);
  return text;
}

bool starts_differ(const JobStatus& left, const JobStatus& right) {
  return left.attempt != right.attempt || left.members != right.members;
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)), lock_(lock_folder(path_)) {}

RunFolder::~RunFolder() {
  close(lock_);
}

bool RunFolder::holds_job(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path + job_file, unknown);
}

std::optional<SavedJob> read_saved_job(const std::string& path) {
  const std::string file = path + job_file;
  std::error_code failed;
  if (!std::filesystem::exists(file, failed) && !failed) return std::nullopt;
  DecodedJob job = decode_job(saved_text(path));
  std::ranges::copy(implausible_counts(job.status), std::back_inserter(job.problems));
  if (job.problems.empty()) return SavedJob{std::move(job.spec), std::move(job.status)};
  throw Error(Blame::user, file + ": is not a job that `carrack run` has saved (" + describe(job.problems) +
                               "); remove " + path + ", or give another --folder");
}

bool is_run_at_work(const std::string& path) {
  const int lock = open((path + lock_file).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return false;
  const bool is_locked = flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(lock);
  return is_locked;
}

std::optional<SavedJob> RunFolder::load() const {
  return read_saved_job(path_);
}

void RunFolder::save(const SavedJob& job) {
  Node node = job_node(job.spec);
  std::get<Node::Map>(node.value).push_back({"status", status_node(job.status)});
  const std::string text = to_json(node) + "\n";
  // No incarnation (a start of a member) may be used twice, not even after a power failure. So a job with new starts is
  // written to the disk before this returns.
  const bool must_last = !last_saved_ || starts_differ(last_saved_->status, job.status);
  replace_file(path_ + job_file, text, must_last);
  if (must_last) {
    replace_file(path_ + synced_file, text, must_last);
    sync(path_);
  }
  last_saved_ = job;
}

}  // namespace carrack::control
