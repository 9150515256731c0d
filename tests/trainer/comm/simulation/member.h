// The common part of a parameter server and a worker: they connect to the coordinator, again when the stream ends, and
// send Alive every second.
#pragma once

#include "tests/trainer/comm/simulation/process.h"
#include "trainer/launch/exit.h"

namespace carrack::train::simulation {

class Member : public Process {
 public:
  using Process::Process;

  void start() override;
  void arrived(PeerId from, FramePart part) final;
  void closed(PeerId peer) final;

 protected:
  virtual void coordinator_is(PeerId peer) = 0;
  virtual void handle(PeerId from, FramePart part) = 0;
  virtual void lost(PeerId peer) = 0;
  virtual wire::Hello hello() const;
  // What its Alive says.
  virtual wire::Alive alive() { return {}; }
  // Ends the process once its frames to the coordinator are sent. It handles nothing more.
  void leave(Exit how);
  bool left() const { return left_.has_value(); }

 private:
  void join();
  void beat();

  PeerId coordinator_ = 0;
  std::optional<Exit> left_;
};

}  // namespace carrack::train::simulation
