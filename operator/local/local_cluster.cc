#include "operator/local/local_cluster.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "operator/core/own_environment.h"
#include "operator/core/plan.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/local/own_command.h"
#include "operator/local/text_file.h"
#include "operator/runtime/new_key.h"
#include "operator/runtime/progress_reader.h"
#include "trainer/launch/launch.h"

namespace carrack::control {
namespace {

using Clock = std::chrono::steady_clock;

// How often the coordinator's progress is read and stopped processes are looked for. The end of a process is seen
// immediately.
constexpr auto poll_interval = std::chrono::milliseconds(50);
// A process that is stopped for longer counts as lost. A debugger or a terminal may stop one for a moment.
constexpr auto stopped_time_max = std::chrono::seconds(3);

std::string require_executable(std::string program) {
  std::error_code ignored;
  errno = std::filesystem::is_directory(program, ignored) ? EISDIR : 0;
  if (errno == 0 && access(program.c_str(), X_OK) == 0) return program;
  throw Error(Blame::user, program + ": cannot be started (" + std::strerror(errno) + "); --trainer names the program");
}

// Returns an address over which members share memory. If the size of files is limited (ulimit -f), it is an address of
// a plain socket, because that limit holds for shared memory, too.
std::string member_address(const std::string& socket) {
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return (is_limited ? "unix:" : "shm:") + socket;
}

// A port of 127.0.0.1 that no other process can take while this object exists.
class FreePort {
 public:
  FreePort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (socket_ >= 0 && bind(socket_, any, size) == 0 && getsockname(socket_, any, &size) == 0)
      number_ = ntohs(address.sin_port);
  }
  FreePort(const FreePort&) = delete;
  FreePort& operator=(const FreePort&) = delete;
  ~FreePort() {
    if (socket_ >= 0) close(socket_);
  }

  std::uint16_t number() const {
    if (number_ == 0) throw Error(Blame::platform, "127.0.0.1: no port is free");
    return number_;
  }

 private:
  int socket_;
  std::uint16_t number_ = 0;
};

std::string free_local_address() {
  return "127.0.0.1:" + std::to_string(FreePort().number());
}

// Returns a different port for each member, because it takes all ports before it frees any.
std::map<train::Member, std::uint16_t> free_ports_of(const std::vector<train::Member>& members) {
  std::map<train::Member, FreePort> held;
  std::map<train::Member, std::uint16_t> ports;
  for (const train::Member& member : members) ports[member] = held[member].number();
  return ports;
}

ChildCommand child_command(OwnCommand own) {
  return {.program = std::move(own.program),
          .environment = std::move(own.environment),
          .log = "",
          .arguments = std::move(own.arguments),
          .folder = std::move(own.folder)};
}

std::optional<CoordinatorReport> final_report_of(const train::Launch& launch) {
  std::string text(std::size_t{64} * 1024, '\0');
  std::ifstream file(launch.addresses.final_report, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_last_words(text, {launch.job_uid, launch.fence, ""}).report;
}

}  // namespace

LocalCluster::LocalCluster(SavedJob job, RunFolder& folder, std::string trainer)
    : folder_(folder),
      trainer_(require_executable(std::move(trainer))),
      stop_event_(eventfd(0, EFD_CLOEXEC)),
      spec_(std::move(job.spec)),
      status_(std::move(job.status)) {
  create_folder(folder_.path() + "/logs");
  write_text_file(private_folder_.path() + "/key", new_key());
  watcher_ = std::jthread([this](const std::stop_token& stop) { watch_processes(stop); });
}

LocalCluster::~LocalCluster() {
  watcher_.request_stop();
  watcher_.join();
  close(stop_event_);
  started_.clear();
}

Snapshot LocalCluster::observe(const std::string& job, Reading) {
  const MutexLock lock(mutex_);
  Snapshot snapshot{.job = std::nullopt, .observed = {}, .seen = versions_};
  if (job != spec_.name) return snapshot;
  snapshot.job = JobRecord{.spec = spec_, .status = status_, .version = versions_[0]};
  snapshot.observed.has_service = has_service_;
  snapshot.observed.has_config = has_config_;
  snapshot.observed.report = report_;
  for (const auto& [name, started] : started_) snapshot.observed.processes.push_back(observed(started));
  return snapshot;
}

ObservedProcess LocalCluster::observed(const StartedProcess& started) const {
  ObservedProcess process;
  process.name = started.process.name;
  process.member = started.process.launch.member;
  process.fence = started.process.launch.fence;
  process.in_service = is_in_service(started);
  const auto stopped = started.child.stopped_since();
  const bool is_lost = stopped && Clock::now() - *stopped > stopped_time_max;
  process.terminating = started.child.is_terminating() || is_lost;
  process.disrupted = is_lost;
  if (is_lost) process.cause = EndCause::node_lost;
  process.started_at = started.started_at;
  process.state = started.child.running() ? ProcessState::running : ProcessState::exited;
  process.exit_code = started.child.exit_code().value_or(0);
  process.cannot_start = started.child.cannot_start();
  process.message = printable_joined(started.child.termination_message());
  if (is_lost) {
    process.silent_since = std::chrono::floor<seconds>(std::chrono::system_clock::now() - (Clock::now() - *stopped));
    process.message = "its process is stopped";
  }
  process.final_report = started.final_report;
  return process;
}

bool LocalCluster::is_in_service(const StartedProcess& started) const {
  std::error_code ignored;
  return member_address(std::filesystem::read_symlink(service_, ignored)) == started.process.launch.addresses.listen;
}

JobStatus LocalCluster::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

void LocalCluster::suspend() {
  const MutexLock lock(mutex_);
  spec_.run.suspend = true;
  ++spec_.generation;
  ++versions_[static_cast<std::size_t>(Kind::job)];
  wake_(spec_.name);
}

bool LocalCluster::is_suspended() const {
  const MutexLock lock(mutex_);
  return has_no_process_after_suspension();
}

bool LocalCluster::has_no_process_after_suspension() const {
  const bool decided = status_.observed_generation == spec_.generation && holds(status_, ConditionType::suspended);
  return decided && std::none_of(started_.begin(), started_.end(), [](const auto& one) {
           return one.second.child.running() && !one.second.child.stopped_since();
         });
}

void LocalCluster::wait_for_end(std::chrono::milliseconds patience) const {
  const Clock::time_point deadline = Clock::now() + patience;
  MutexLock lock(mutex_);
  while (!is_finished(status_) && !has_no_process_after_suspension() &&
         changed_.wait_until(lock, deadline) != std::cv_status::timeout) {
  }
}

Reply LocalCluster::put_status(const std::string& job, Version read, const JobStatus& status) {
  const MutexLock lock(mutex_);
  if (job != spec_.name || read != versions_[0]) return {.result = WriteResult::conflict};
  folder_.save({spec_, status});
  status_ = status;
  changed_.notify_all();
  return {.version = ++versions_[0]};
}

Reply LocalCluster::apply(const std::string&, const JobSpec&, const Action& action) {
  const MutexLock lock(mutex_);
  try {
    Reply reply = std::visit([this](const auto& one) REQUIRES(mutex_) { return act(one); }, action);
    if (reply.result == WriteResult::done) reply.version = ++versions_[static_cast<std::size_t>(*kind_of(action))];
    return reply;
  } catch (const std::exception& error) {
    return {.result = WriteResult::refused, .error = error.what()};
  }
}

Reply LocalCluster::act(const CreateService&) {
  return {.result = std::exchange(has_service_, true) ? WriteResult::already : WriteResult::done};
}

Reply LocalCluster::act(const CreateConfig&) {
  if (has_config_) return {.result = WriteResult::already};
  write_text_file(folder_.path() + "/config", train::to_config_text(spec_.config));
  has_config_ = true;
  return {};
}

// The key exists from the start, because the constructor writes it.
Reply LocalCluster::act(const CreateKey&) {
  return {.result = WriteResult::already};
}

Reply LocalCluster::act(const DeleteService&) {
  return {.result = std::exchange(has_service_, false) ? WriteResult::done : WriteResult::already};
}

// Leaves the file `config` in the folder, because users may look at it after the run.
Reply LocalCluster::act(const DeleteConfig&) {
  return {.result = std::exchange(has_config_, false) ? WriteResult::done : WriteResult::already};
}

// Does nothing: the folder of the run belongs to the user, who may remove it.
Reply LocalCluster::act(const DeleteJob&) {
  return {.result = WriteResult::already};
}

Reply LocalCluster::act(const WithdrawProcess& process) {
  const auto found = started_.find(process.name);
  if (found == started_.end() || !is_in_service(found->second)) return {.result = WriteResult::already};
  std::filesystem::remove(service_);
  return {};
}

Reply LocalCluster::act(const DeleteProcess& process) {
  const auto found = started_.find(process.name);
  if (found == started_.end()) return {.result = WriteResult::already};
  if (!found->second.child.running()) {
    started_.erase(found);
  } else if (!found->second.child.stopped_since()) {  // A stopped process is not killed, like one on a lost node.
    found->second.child.terminate(process.grace);
  }
  return {};
}

// Accepts every process: the check is for pods, which the API server may find invalid.
Reply LocalCluster::act(const CheckProcess&) {
  return {.result = WriteResult::already};
}

ChildCommand LocalCluster::member_command(Process& process) {
  const std::string socket = private_folder_.path() + "/" + std::to_string(++socket_count_);
  process.launch.addresses = {.coordinator = member_address(service_),
                              .listen = member_address(socket),
                              .key_folder = private_folder_.path(),
                              .progress = process.in_service ? free_local_address() : "",
                              .final_report = process.in_service ? socket + "-report" : ""};
  if (process.in_service) {
    std::filesystem::create_symlink(socket, socket + "-link");
    std::filesystem::rename(socket + "-link", service_);
  }
  train::Environment environment = train::to_environment(process.launch);
  environment[std::string(train::config_variable)] = folder_.path() + "/config";
  const train::Role role = process.launch.member.role;
  if (!runs_own_program(spec_, role)) return {.program = trainer_, .environment = environment, .log = ""};
  environment["PYTHONUNBUFFERED"] = "1";
  return child_command(own_command(spec_, role, std::move(environment)));
}

ChildCommand LocalCluster::own_program_command(const Process& process) {
  if (own_ports_.empty()) own_ports_ = free_ports_of(members_of(spec_));
  const train::Launch& launch = process.launch;
  const auto find_address = [this](const train::Member& member) REQUIRES(mutex_) {
    return HostPort{"127.0.0.1", own_ports_.at(member)};
  };
  return child_command(
      own_command(spec_, launch.member.role, own_environment(spec_, launch.member, launch.fence, find_address)));
}

Reply LocalCluster::act(const CreateProcess& create) {
  if (started_.contains(create.process.name)) return {.result = WriteResult::already};
  Process process = create.process;
  const std::string name = process.name;
  ChildCommand command = spec_.own ? own_program_command(process) : member_command(process);
  command.log = folder_.path() + "/logs/" + name + ".log";
  Child child(command);
  const Time now = std::chrono::floor<seconds>(std::chrono::system_clock::now());
  // last_observed is empty, so the watcher finds that the process has changed, and wakes the loop.
  const bool is_new = started_.emplace(name, StartedProcess{std::move(process), std::move(child), {}, {}, now}).second;
  CHECK(is_new);
  return {};
}

void LocalCluster::watch(std::function<void(const std::string& job)> wake) {
  const MutexLock lock(mutex_);
  wake_ = std::move(wake);
  wake_(spec_.name);
}

void LocalCluster::watch_processes(const std::stop_token& stop) {
  const std::stop_callback wake_up(stop, [this] { eventfd_write(stop_event_, 1); });
  while (!stop.stop_requested()) {
    wait_for_child();
    update_report();
    const MutexLock lock(mutex_);
    if (!poll_children()) continue;
    changed_.notify_all();
    wake_(spec_.name);
  }
}

// Waits until a process has ended or the watcher is to stop, but not for longer than `poll_interval`.
void LocalCluster::wait_for_child() const {
  std::vector<pollfd> events{{stop_event_, POLLIN, 0}};
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, started] : started_) {
      if (started.child.running()) events.push_back({started.child.end_event(), POLLIN, 0});
    }
  }
  poll(events.data(), events.size(), static_cast<int>(poll_interval.count()));
}

// Returns true if the state of any process has changed.
bool LocalCluster::poll_children() {
  bool changed = false;
  for (auto& [name, started] : started_) {
    started.child.poll();
    const bool reports = !started.process.launch.addresses.final_report.empty();
    if (reports && !started.child.running() && !started.final_report) {
      started.final_report = final_report_of(started.process.launch);
      if (started.final_report) report_ = started.final_report;  // stays after the process is erased below
    }
    // The whole observation is compared, because a stopped process becomes lost by the passing of time alone.
    ObservedProcess now = observed(started);
    changed = changed || now != started.last_observed;
    started.last_observed = std::move(now);
  }
  // A process that is being deleted disappears once it has exited. Others stay until they are deleted.
  const auto is_gone = [](const auto& one) { return one.second.child.is_terminating() && !one.second.child.running(); };
  changed = std::erase_if(started_, is_gone) > 0 || changed;
  if (changed) ++versions_[static_cast<std::size_t>(Kind::process)];
  return changed;
}

// Reads the progress of the newest coordinator that runs, even if it was withdrawn from the service, because it may
// still commit. Reads without the lock, because a coordinator that does not answer must not delay the loop.
void LocalCluster::update_report() {
  ProgressSource source;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, started] : started_) {
      const train::Launch& launch = started.process.launch;
      const std::string& address = launch.addresses.progress;
      if (address.empty() || !started.child.running() || started.child.stopped_since()) continue;
      if (source.address.empty() || source.fence < launch.fence) source = {spec_.uid, launch.fence, address};
    }
  }
  if (source.address.empty()) return;
  std::optional<CoordinatorReport> report = read_progress(source);
  if (!report) return;
  const MutexLock lock(mutex_);
  if (report == report_) return;
  report_ = std::move(report);
  wake_(spec_.name);
}

}  // namespace carrack::control
