// What must always hold, whatever goes wrong: told of everything that happens in the world, they throw a Violation.
// Each is found by a bug planted for it (planted.h), so none of them is asleep.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "operator/core/reconcile.h"

namespace carrack::simulation {

struct Violation {
  std::string checker;
  std::string text;
};

[[noreturn]] void violated(const std::string& checker, const std::string& text);

// What the checkpoint folder says.
struct Head {
  std::string uid;  // empty: never claimed
  train::Fence fence;
  int nonce = 0;
  int step = 0;
  bool done = false;  // the last commit of the training
};

// Whose work is in a commit.
struct Contributor {
  train::Member member;
  int incarnation = 0;
  int newest = 0;  // the newest incarnation of that member that the coordinator has met
};

class Checkers {
 public:
  void created(const std::string& uid, const train::Member& member, const train::Fence& fence,
               const control::JobStatus& recorded);
  void has_image(const std::string& uid, int attempt, const std::string& image);
  void ran(const std::string& uid) { ran_.insert(uid); }
  void exited(const std::string& uid, const train::Member& member, int attempt, int exit_code);
  void status_written(const control::JobSpec& spec, const control::JobStatus& before, const control::JobStatus& after);
  void head_claimed(const Head& claim);
  void head_committed(const Head& commit, const std::vector<Contributor>& contributors);

 private:
  using Starts = std::tuple<std::string, train::Member, train::Fence>;
  void check_limit(const control::JobSpec& spec, const control::JobStatus& after) const;
  static void check_reported_hung(const control::JobStatus& before, const control::JobStatus& after);
  void check_charges(const control::JobSpec& spec, const control::JobStatus& before,
                     const control::JobStatus& after) const;
  void check_success(const control::JobSpec& spec, const control::JobStatus& after) const;
  int charged(const std::string& uid, const train::Member& member, int attempt) const;

  std::set<Starts> started_;
  std::map<std::pair<std::string, int>, std::string> images_;  // by UID and attempt
  std::set<std::string> ran_;                                  // UIDs of jobs of which a process ran
  std::map<std::tuple<std::string, train::Member, int>, int> charged_;
  std::set<std::tuple<std::string, train::Member, int>> succeeded_;  // UID, member and attempt of each exit with 0
  std::map<std::string, Head> claimed_;                              // by uid, the highest
  std::set<std::string> done_;                                       // UIDs whose last commit was made
};

}  // namespace carrack::simulation
