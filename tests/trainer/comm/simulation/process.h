// One process of a simulated job: an inbox that one thread handles, and timers. It may be killed, or paused: when it
// wakes up, as after SIGCONT, its inbox has everything that happened meanwhile.
#pragma once

#include <compare>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "tests/trainer/comm/simulation/job.h"
#include "tests/trainer/comm/simulation/schedule.h"
#include "trainer/comm/protocol/hung.h"
#include "trainer/comm/transport/frame_codec.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train::simulation {

class World;

struct Place {
  wire::Role role = wire::WORKER;
  std::uint32_t index = 0;
  auto operator<=>(const Place&) const = default;
};

class Process {
 public:
  Process(World& world, Place place, std::uint32_t incarnation);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  virtual ~Process() = default;

  virtual void start() = 0;
  virtual void arrived(PeerId from, FramePart part) = 0;
  virtual void closed(PeerId peer) = 0;
  // Whether others can open streams to it.
  virtual bool serves() const { return !ended_; }
  // SIGTERM to a worker.
  virtual void ask_to_leave() {}
  // From now on a worker computes its next batch, until it gets well.
  virtual void hang() {}
  virtual void get_well() {}
  virtual bool hangs() const { return false; }
  // What a coordinator's /progress shows.
  virtual std::vector<Hung> tells_hung() const { return {}; }
  virtual bool tells_drained() const { return false; }
  // What a server holds.
  virtual std::optional<wire::Held> holds() const { return std::nullopt; }

  Place place() const { return place_; }
  std::uint32_t incarnation() const { return incarnation_; }
  std::string name() const;
  bool ended() const { return ended_; }
  bool paused() const { return paused_; }
  // When it last woke up; 0 if it was never paused.
  Time woke_at() const { return woke_at_; }
  // When it left, if it has: its process ends later.
  Time left_at() const { return left_at_; }

  void post(std::function<void()> event);
  void kill();
  void pause() { paused_ = true; }
  void wake();

 protected:
  enum class Exit { succeeded, superseded, drained, drained_late, user_error };

  void exit(Exit how);
  void later(Time delay, std::function<void()> what);
  // The thread computes or waits for storage; events wait meanwhile.
  void busy_for(Time time, std::function<void()> then);
  // A request to storage: `effect` happens after `time`, perhaps although the process has ended or is paused by then.
  // Then this process calls `then`.
  void perform(Time time, std::function<void()> effect, std::function<void()> then);
  // Carries out commands in order. A process that is killed in between never does the rest; a paused one does it when
  // it wakes up.
  template <class Commands, class Act>
  void each(const Commands& commands, const Act& act, std::size_t from = 0) {
    for (std::size_t i = from; i < commands.size() && !ended_; ++i) {
      point();
      if (paused_) return inbox_.push_front([this, commands, act, i] { each(commands, act, i); });
      if (!ended_) act(commands[i]);
    }
  }

  World& world_;
  const Job found_;  // the job with the data as this start found it
  Time left_at_ = 0;

 private:
  // A place in the code where the process may be killed or paused by chance.
  void point();
  void work_off();

  Place place_;
  std::uint32_t incarnation_;
  bool ended_ = false;
  bool paused_ = false;
  Time woke_at_ = 0;
  bool busy_ = false;
  bool working_ = false;
  std::deque<std::function<void()>> inbox_;
};

}  // namespace carrack::train::simulation
