#include "operator/local/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "operator/codec/job.h"
#include "operator/codec/status_fields.h"
#include "operator/error.h"
#include "operator/local/text_file.h"

namespace carrack::control {
namespace {

constexpr const char* job_file = "/job.json";

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(Blame::platform, path + ": cannot be " + what + ": " + std::strerror(errno));
}

int locked(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) {
    throw Error(Blame::user, path + ": cannot be made a folder: " + failed.message() + "; give another --folder");
  }
  const std::string file = path + "/lock";
  const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) fail(file, "written");
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  const bool taken = errno == EWOULDBLOCK;
  close(lock);
  if (!taken) fail(file, "locked");
  throw Error(Blame::user,
              path + ": another `carrack run` is at work there; wait until it has ended, or give another --folder");
}

void sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  if (!synced) fail(path, "written to disk");
}

bool counts_other_starts(const JobStatus& left, const JobStatus& right) {
  return left.attempt != right.attempt || left.members != right.members;
}

// What is counted on from must be far from where counting ends.
void check_counts(const JobStatus& status, std::vector<Problem>& problems) {
  constexpr int most = 1'000'000'000;
  const auto expect = [&](int count, const std::string& field) {
    if (count < 0 || count > most) problems.push_back({field, "is " + std::to_string(count)});
  };
  expect(status.attempt, "status.attempt");
  for (const auto& [member, start] : status.members) {
    expect(start.incarnation, "status.members." + key_text(member) + ".incarnation");
  }
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)), lock_(locked(path_)) {}

RunFolder::~RunFolder() {
  close(lock_);
}

std::optional<KeptJob> RunFolder::kept() const {
  const std::string file = path_ + job_file;
  if (!std::filesystem::exists(file)) return std::nullopt;
  DecodedJob job = decode_job(text_of_file(file));
  check_counts(job.status, job.problems);
  if (job.problems.empty()) return KeptJob{std::move(job.spec), std::move(job.status)};
  throw Error(Blame::user, file + ": is not what `carrack run` keeps there (" + describe(job.problems) + "); remove " +
                               path_ + ", or give another --folder");
}

void RunFolder::keep(const KeptJob& job) {
  Node node = job_node(job.spec);
  std::get<Node::Map>(node.value).push_back({"status", status_node(job.status)});
  const std::string file = path_ + job_file;
  const std::string fresh = file + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out << to_json(node) << "\n";
  out.close();
  if (!out) fail(fresh, "written");
  // Power may fail too, and no number of a start may come twice.
  const bool must_last = !last_ || counts_other_starts(last_->status, job.status);
  if (must_last) sync(fresh);
  if (rename(fresh.c_str(), file.c_str()) != 0) fail(file, "written");
  if (must_last) sync(path_);
  last_ = job;
}

}  // namespace carrack::control
