// The processes of a simulated job: the state machines of trainer/comm, each with what trainer/loop does around the
// real ones.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/trainer/comm/simulation/member.h"
#include "tests/trainer/comm/simulation/store.h"
#include "trainer/comm/protocol/activity.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/comm/protocol/worker.h"

namespace carrack::train::simulation {

class CoordinatorProcess final : public Process {
 public:
  using Process::Process;

  void start() override;
  void arrived(PeerId from, FramePart part) override;
  void closed(PeerId peer) override;
  bool serves() const override { return !ended() && coordinator_.has_value(); }
  bool tells_drained() const override;
  std::vector<Hung> tells_hung() const override;

 private:
  void claim(const Head& found);
  void read_head(const std::function<void(const Head&)>& then);
  // Calls `then` with whether HEAD is the new one, also if the reply was lost.
  void write_head(std::string manifest, const std::function<void(bool)>& then);
  void serve(const std::string& manifest);
  void tick();
  Commands tick_at(Instant now);
  void check_lost(const Commands& commands);
  void watch();
  void look_for_the_end();
  void check_staleness();
  // The job as HEAD has it.
  Job claimed() const { return head_.first_pass ? found_ : without_first_pass(found_); }

  void carry_out(const Commands& commands);
  void act(const SendTo& send);
  void act(const Disconnect& disconnect);
  void act(const WriteCommit& command);
  void act(const EndProcess& end);
  void commit_written(const FinishedCut& cut, bool won);

  std::optional<Coordinator> coordinator_;  // once HEAD is claimed
  Head head_;                               // as last read
  std::uint64_t nonces_ = 0;
  std::optional<Instant> ticked_;  // the last tick
  bool ending_ = false;
  bool writing_ = false;  // a commit is under way; for a planted bug
};

class ServerProcess final : public Member {
 public:
  ServerProcess(World& world, Place place, std::uint32_t incarnation);

  void start() override;
  std::optional<wire::Held> holds() const override { return server_.held(); }

 private:
  void coordinator_is(PeerId peer) override { server_.coordinator_is(peer); }
  void handle(PeerId from, FramePart part) override;
  void lost(PeerId peer) override;
  wire::Hello hello() const override;

  void carry_out(const ParameterServer::Commands& commands);
  void act(const ParameterServer::Send& send);
  void act(const ParameterServer::BeginLoad& load);
  void act(const ParameterServer::BeginSave& save);
  void act(const ParameterServer::Disconnect& disconnect);
  void told_saved(const ParameterServer::BeginSave& save);
  // A part of a push: passes it to the state machine, unless a bug is planted that does something else.
  void handle_push(PeerId from, FramePart part);
  void add_all_twice(PeerId from);

  ParameterServer server_;
  std::set<PeerId> workers_;                            // open streams, also those that the state machine does not know
  std::set<PeerId> pushing_;                            // streams whose last part was not the last of its push
  std::map<PeerId, std::vector<FramePart>> held_back_;  // parts of pushes; for a planted bug
  std::optional<FramePart> of_newest_assignment_;       // the last part of a push by it; for a planted bug
  bool is_saving_ = false;
};

class WorkerProcess final : public Member {
 public:
  WorkerProcess(World& world, Place place, std::uint32_t incarnation);

  void start() override;
  void ask_to_leave() override;
  void hang() override { hangs_ = true; }
  void get_well() override { hangs_ = false; }
  bool hangs() const override { return hangs_; }

 private:
  struct Pending {
    Worker::Connect to;
    std::uint64_t number = 0;
    PeerId peer = 0;  // the last stream; 0 before the first to that address
  };

  void coordinator_is(PeerId peer) override { worker_.coordinator_is(peer); }
  void handle(PeerId from, FramePart part) override;
  void lost(PeerId peer) override;
  wire::Hello hello() const override;
  wire::Alive alive() override;

  void note_activity();
  void carry_out(const Worker::Commands& commands);
  void act(const Worker::Connect& connect);
  void act(const Worker::Disconnect& disconnect);
  void act(const Worker::Send& send);
  void act(const Worker::Compute& compute);
  void act(const Worker::Leave& leave);
  void open(std::uint32_t server, std::uint64_t number);
  // In a first pass: finds out whether it is over, and writes the indexes of files that were read to their end.
  void find_out(const Worker::Compute& compute);
  void keep(const Worker::Compute& compute);
  bool one_has_ended(const Worker::Compute& compute) const;
  std::vector<Store::File> used_up_by(const Worker::Compute& compute) const;
  void train(const Worker::Compute& compute, std::optional<std::uint64_t> first_pass_had);
  void computed(const Worker::Compute& compute, const Floats& before, std::optional<std::uint64_t> first_pass_had);

  Worker worker_;
  std::set<std::pair<std::uint64_t, std::int64_t>> begun_;  // batch and first lane, since anything changed
  std::map<std::uint32_t, Pending> pending_;                // the last Connect, by server
  std::set<PeerId> servers_;                                // streams to servers that it believes to be open
  Activity activity_;
  bool hangs_ = false;
  bool late_ = false;                        // it could not leave in order
  bool assigned_ = false;                    // it has had an assignment
  Floats parameters_before_;                 // of the Compute before; for a planted bug
  Job job_;                                  // As HEAD has it.
  std::optional<std::uint64_t> end_;         // the steps of the first pass, once it knows them
  std::optional<std::uint64_t> end_before_;  // as the look before found it; for a planted bug
  std::set<Store::File> kept_;
};

}  // namespace carrack::train::simulation
