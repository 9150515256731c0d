// What a parameter server and a worker have in common: they join the coordinator by name, again when the stream ends,
// and say every second that they are alive.
#pragma once

#include "tests/trainer/comm/simulation/process.h"
#include "trainer/launch/exit.h"

namespace carrack::train::simulation {

class Member : public Process {
 public:
  using Process::Process;

  void start() override;
  void arrived(PeerId from, Frame frame) final;
  void closed(PeerId peer) final;

 protected:
  virtual void coordinator_is(PeerId peer) = 0;
  virtual void handle(PeerId from, Frame frame) = 0;
  virtual void lost(PeerId peer) = 0;
  virtual wire::Hello hello() const;
  // Ends once what was said to the coordinator has left; nothing more is handled.
  void leave(Exit how);
  bool left() const { return left_.has_value(); }

 private:
  void join();
  void beat();

  PeerId coordinator_ = 0;
  std::optional<Exit> left_;
};

}  // namespace carrack::train::simulation
