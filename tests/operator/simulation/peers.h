// The processes of a job as little state machines that keep to the protocol of DESIGN: a leader claims HEAD by
// compare-and-set before it serves, commits by compare-and-set, refuses superseded members; followers find the leader
// through its Service, register, leave when asked. They know nothing of the operator, and it tells them nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/operator/simulation/checkers.h"
#include "tests/operator/simulation/faults.h"
#include "trainer/launch/exit.h"

namespace carrack::simulation {

// Where the peers of a planted bug break their rules.
struct PeerRules {
  bool head_is_conditional = true;
  bool refuse_superseded = true;
  bool end_after_last_commit = true;
  bool claim_before_telling = true;
};

// The checkpoint folder.
class Folder {
 public:
  enum class Written { won, lost, unanswered };

  Folder(Checkers& checkers, Faults& faults) : checkers_(checkers), faults_(faults) {}
  const Head& head() const { return head_; }
  int generation() const { return generation_; }
  // A commit names its contributors, a claim has none.
  Written swap(int expected, const Head& next, const std::vector<Contributor>& contributors, bool conditional);

 private:
  Checkers& checkers_;
  Faults& faults_;
  Head head_;
  int generation_ = 0;
};

// What all processes of the world share.
struct Surroundings {
  Folder& folder;
  const PeerRules& rules;
  int last_step;
  std::function<class Leader*(const std::string& uid)> find_leader;  // through the Service
};

class Peer {
 public:
  Peer(const train::Launch& launch, int nonce, Surroundings& around)
      : uid(launch.job_uid), member(launch.member), fence(launch.fence), number(nonce), around_(around) {}
  virtual ~Peer() = default;
  virtual void step() = 0;
  void end(train::Exit exit) { end(static_cast<int>(exit)); }
  void end(int code) {
    if (!exit_code) exit_code = code;
  }
  bool lives() const { return !exit_code; }
  // Others notice a process that has ended, and one that hangs: it is silent.
  bool is_heard() const { return lives() && !hangs; }

  const std::string uid;
  const train::Member member;
  const train::Fence fence;
  const int number;  // of all processes ever started; serves as nonce
  std::optional<int> exit_code;
  bool asked_to_leave = false;
  bool hangs = false;  // does nothing any more, nor does it leave
  bool stuck = false;  // answers its node, and joins and leaves; but nobody can train with it

 protected:
  Surroundings& around_;
};

class Leader : public Peer {
 public:
  Leader(const train::Launch& launch, int nonce, Surroundings& around);
  void step() override;

  enum class WriteResult { accepted, superseded, not_now };
  WriteResult admit(Peer& follower);
  void leave(const Peer& follower);
  bool has(const Peer& follower) const;
  bool has_finished() const { return finished_; }
  // Nothing before HEAD is claimed.
  std::optional<control::CoordinatorReport> report() const;

 private:
  enum class Phase { looking, claiming, serving };
  void look();
  void claim();
  void serve();
  void look_again();
  void forget_the_dead();
  bool can_train() const;
  void prepare(bool done);
  void commit();
  std::vector<Contributor> contributors() const;

  const train::Config config_;
  Phase phase_ = Phase::looking;
  int generation_ = 0;
  int step_ = 0;
  int committed_ = 0;
  bool finished_ = false;
  int waited_ = 0;                // steps, for the members to end
  std::optional<Head> prepared_;  // a commit that is ready to be written
  std::map<train::Member, Peer*> followers_;
  std::map<train::Member, int> newest_;
};

class Follower : public Peer {
 public:
  using Peer::Peer;
  void step() override;

 private:
  Leader* leader_ = nullptr;
  train::Fence highest_leader_;
};

// A process of the user's own program. It works for a while, whatever the others do.
class OwnProcess : public Peer {
 public:
  using Peer::Peer;
  void step() override;

 private:
  int steps_ = 0;
};

std::unique_ptr<Peer> make_peer(const train::Launch& launch, int number, Surroundings& around);

}  // namespace carrack::simulation
