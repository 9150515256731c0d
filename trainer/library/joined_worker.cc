#include "trainer/library/joined_worker.h"

#include <grpc/grpc.h>
#include <signal.h>

#include <utility>

#include "trainer/error.h"
#include "trainer/kernels/cpu/features.h"
#include "trainer/loop/roles/role.h"
#include "trainer/models/model.h"
#include "trainer/process/process.h"

namespace carrack::train {
namespace {

// The time in which a program must call a function of the library before the process ends, if it took too long for a
// batch or the thread of the role hangs.
constexpr auto notice_within = std::chrono::seconds(5);

Launch worker_launch(const Environment& environment) {
  const std::string missing = cpu::missing_cpu_features();
  if (!missing.empty()) throw Error(Blame::user, missing);
  if (!environment.contains(std::string(config_variable))) {
    throw Error(Blame::user,
                "the environment has no " + std::string(config_variable) +
                    "; this program is for the workers of a job, which `carrack run` or the operator start");
  }
  Launch launch = launch_from(environment);
  if (launch.member.role != Role::worker || launch.config.strategy != Strategy::parameter_server) {
    throw Error(Blame::user, "this process is a " + std::string(spelled(launch.member.role)) +
                                 " of a job of strategy " + std::string(spelled(launch.config.strategy)) +
                                 "; only workers of strategy ParameterServer can be programs");
  }
  return launch;
}

std::string text_of(Exit exit) {
  if (exit == Exit::superseded) return "another process has taken the place of this worker";
  return exit == Exit::succeeded || exit == Exit::drained ? ""
                                                          : "the worker has ended as " + std::string(spelled(exit));
}

// While an object of this class exists, its thread blocks all signals. A thread that it starts meanwhile inherits this,
// so the operating system delivers signals only to the program's own threads.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

JoinedWorker::JoinedWorker(const Environment& environment, std::chrono::seconds compute_within)
    : launch_(worker_launch(environment)),
      layout_(layout_of(model_graph(launch_.config.model, launch_.config.data))),
      features_(model_graph(launch_.config.model, launch_.config.data).features),
      exchange_(std::make_shared<Exchange>(compute_within)),
      context_(context_from(environment, key_of(launch_), [this] { return leave_requested_.load(); })) {
  arm_point(environment);
  context_.program = exchange_;
  context_.report_hang = [this](const std::string& text) { role_hangs(text); };
  const BlockedSignals blocked;
  // There is no grpc_shutdown() for this call. Without the call, destroying gRPC's last object would wait for gRPC's
  // threads, sometimes for 10 seconds.
  grpc_init();
  serve_health(environment);
  role_ = std::jthread([this] { run_role(); });
}

void JoinedWorker::run_role() {
  Exchange::Ended ended;
  try {
    ended.exit = run(launch_, context_);
    ended.text = text_of(ended.exit);
  } catch (const Exchange::ProgramLeft&) {
    ended.exit = Exit::drained;
  } catch (const std::exception& error) {
    ended = {exit_for(error), error.what()};
  }
  const std::string text = ended.text;
  const bool is_hang = exchange_->end(std::move(ended));
  // A program that hangs will not call the library again, so only this thread can end the process.
  if (is_hang && !exchange_->wait_until_noticed(notice_within)) end_hung_process(text);
  over_.set_value();
}

// The program may have left, and still have work to do. Otherwise it finds out by its next call that the worker has
// failed.
void JoinedWorker::role_hangs(const std::string& text) {
  exchange_->end({Exit::platform_error, text});
  if (!exchange_->wait_until_noticed(notice_within)) end_hung_process(text);
}

void JoinedWorker::leave() {
  request_leave();
  exchange_->leave();
}

void JoinedWorker::wait_for_end(std::chrono::seconds time) {
  const bool is_over = is_over_.wait_for(time) == std::future_status::ready;
  if (is_over && role_.joinable()) role_.join();
}

}  // namespace carrack::train
