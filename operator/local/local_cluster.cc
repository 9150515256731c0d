#include "operator/local/local_cluster.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include "operator/error.h"
#include "operator/runtime/progress_reader.h"
#include "trainer/launch/launch.h"

namespace carrack::control {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto look_every = std::chrono::milliseconds(50);
// A process stopped for a moment, by a debugger or a terminal, is not lost; one stopped for longer is.
constexpr auto lost_after = std::chrono::seconds(3);
constexpr std::string_view service_socket = "coordinator";

std::string runnable(std::string program) {
  errno = std::filesystem::is_directory(program) ? EISDIR : 0;
  if (errno == 0 && access(program.c_str(), X_OK) == 0) return program;
  throw Error(Blame::user, program + ": cannot be started (" + std::strerror(errno) + "); --trainer names the program");
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush()) throw Error(Blame::platform, path + ": cannot be written");
}

std::string new_key() {
  std::random_device entropy;
  std::string key;
  for (int i = 0; i < 8; ++i) key += std::to_string(entropy());
  return key;
}

// 127.0.0.1 with a port that is free now.
std::string free_local_address() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = probe >= 0 && bind(probe, any, size) == 0 && getsockname(probe, any, &size) == 0;
  if (probe >= 0) close(probe);
  if (!bound) throw Error(Blame::platform, "127.0.0.1: no port is free");
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

}  // namespace

LocalCluster::LocalCluster(KeptJob job, RunFolder& folder, std::string trainer)
    : folder_(folder),
      trainer_(runnable(std::move(trainer))),
      spec_(std::move(job.spec)),
      status_(std::move(job.status)) {
  std::filesystem::create_directories(folder_.path() + "/logs");
  write_file(private_folder_.path() + "/key", new_key());
  watcher_ = std::jthread([this](const std::stop_token& stop) { look_around(stop); });
}

LocalCluster::~LocalCluster() {
  watcher_.request_stop();
  watcher_.join();
  started_.clear();
}

Snapshot LocalCluster::observe(const std::string& job, Reading) {
  const std::lock_guard lock(mutex_);
  Snapshot snapshot{.job = std::nullopt, .observed = {}, .seen = versions_};
  if (job != spec_.name) return snapshot;
  snapshot.job = JobRecord{.spec = spec_, .status = status_, .version = versions_[0]};
  snapshot.observed.has_service = has_service_;
  snapshot.observed.has_config = has_config_;
  snapshot.observed.report = report_;
  for (const auto& [name, one] : started_) snapshot.observed.processes.push_back(seen(one));
  return snapshot;
}

ObservedProcess LocalCluster::seen(const Started& one) const {
  ObservedProcess process;
  process.name = one.process.name;
  process.member = one.process.launch.member;
  process.fence = one.process.launch.fence;
  process.in_service = serves(one);
  const auto stopped = one.child.stopped_since();
  const bool lost = stopped && Clock::now() - *stopped > lost_after;
  process.terminating = one.child.ending() || lost;
  process.disrupted = lost;
  process.state = one.child.running() ? ProcessState::running : ProcessState::exited;
  process.exit_code = one.child.exit_code().value_or(0);
  process.message = one.child.last_words();
  return process;
}

bool LocalCluster::serves(const Started& one) const {
  std::error_code none;
  return std::filesystem::read_symlink(private_folder_.path() + "/" + std::string(service_socket), none) == one.socket;
}

JobStatus LocalCluster::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void LocalCluster::suspend() {
  const std::lock_guard lock(mutex_);
  spec_.suspend = true;
  ++spec_.generation;
  ++versions_[static_cast<std::size_t>(Kind::job)];
  wake_(spec_.name);
}

bool LocalCluster::is_suspended() const {
  const std::lock_guard lock(mutex_);
  const bool decided = status_.observed_generation == spec_.generation && holds(status_, ConditionType::suspended);
  return decided && std::none_of(started_.begin(), started_.end(), [](const auto& one) {
           return one.second.child.running() && !one.second.child.stopped_since();
         });
}

Reply LocalCluster::put_status(const std::string& job, Version read, const JobStatus& status) {
  const std::lock_guard lock(mutex_);
  if (job != spec_.name || read != versions_[0]) return {.answer = Answer::conflict, .version = 0, .why = ""};
  folder_.keep({spec_, status});
  status_ = status;
  return {.answer = Answer::done, .version = ++versions_[0], .why = ""};
}

Reply LocalCluster::apply(const std::string&, const JobSpec&, const Action& action) {
  const std::lock_guard lock(mutex_);
  try {
    Reply reply = std::visit([this](const auto& one) { return act(one); }, action);
    if (reply.answer == Answer::done) reply.version = ++versions_[static_cast<std::size_t>(kind_of(action))];
    return reply;
  } catch (const std::exception& error) {
    return {.answer = Answer::refused, .version = 0, .why = error.what()};
  }
}

Reply LocalCluster::act(const CreateService&) {
  return {.answer = std::exchange(has_service_, true) ? Answer::already : Answer::done, .version = 0, .why = ""};
}

Reply LocalCluster::act(const CreateConfig&) {
  if (has_config_) return {.answer = Answer::already, .version = 0, .why = ""};
  write_file(folder_.path() + "/config", train::to_config_text(spec_.config));
  has_config_ = true;
  return {};
}

Reply LocalCluster::act(const WithdrawProcess& process) {
  const auto found = started_.find(process.name);
  if (found == started_.end() || !serves(found->second)) return {.answer = Answer::already, .version = 0, .why = ""};
  std::filesystem::remove(private_folder_.path() + "/" + std::string(service_socket));
  return {};
}

Reply LocalCluster::act(const DeleteProcess& process) {
  const auto found = started_.find(process.name);
  if (found == started_.end()) return {.answer = Answer::already, .version = 0, .why = ""};
  if (!found->second.child.running()) {
    started_.erase(found);
  } else if (!found->second.child.stopped_since()) {
    found->second.child.end(process.grace);
  }
  return {};
}

Reply LocalCluster::act(const CreateProcess& create) {
  if (started_.contains(create.process.name)) return {.answer = Answer::already, .version = 0, .why = ""};
  Process process = create.process;
  const std::string socket = std::to_string(++sockets_);
  const std::string service = private_folder_.path() + "/" + std::string(service_socket);
  train::Addresses& addresses = process.launch.addresses;
  addresses = {.coordinator = "unix:" + service,
               .listen = "unix:" + private_folder_.path() + "/" + socket,
               .key_folder = private_folder_.path(),
               .progress = process.in_service ? free_local_address() : ""};
  train::Environment environment = train::to_environment(process.launch);
  environment[std::string(train::config_variable)] = folder_.path() + "/config";
  if (process.in_service) {
    const std::string fresh = service + "-" + socket;
    std::filesystem::create_symlink(socket, fresh);
    std::filesystem::rename(fresh, service);
  }
  Child child({trainer_, environment, folder_.path() + "/logs/" + process.name + ".log"});
  const std::string name = process.name;
  const std::string progress = addresses.progress;
  Started started{std::move(process), std::move(child), socket, progress, {}};
  started.last_seen = seen(started);
  started_.emplace(name, std::move(started));
  return {};
}

void LocalCluster::watch(std::function<void(const std::string& job)> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
  wake_(spec_.name);
}

void LocalCluster::look_around(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(look_every);
    read_progress();
    const std::lock_guard lock(mutex_);
    if (poll_children()) wake_(spec_.name);
  }
}

// Whether anything has happened.
bool LocalCluster::poll_children() {
  bool happened = false;
  for (auto& [name, one] : started_) {
    one.child.poll();
    // Against what was seen last, not a moment ago: a stopped process is lost by the passing of time alone.
    ObservedProcess now = seen(one);
    happened = happened || now != one.last_seen;
    one.last_seen = std::move(now);
  }
  // What was deleted is gone once it has left; what ended by itself stays to be looked at.
  const auto has_left = [](const auto& one) { return one.second.child.ending() && !one.second.child.running(); };
  happened = std::erase_if(started_, has_left) > 0 || happened;
  if (happened) ++versions_[static_cast<std::size_t>(Kind::process)];
  return happened;
}

// Of the newest start that runs, in the service or not: one that was withdrawn may commit before it leaves. Asked
// without the lock: a coordinator that does not answer must not hold up the loop.
void LocalCluster::read_progress() {
  Teller teller;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, one] : started_) {
      if (one.progress.empty() || !one.child.running() || one.child.stopped_since()) continue;
      const train::Fence fence = one.process.launch.fence;
      if (teller.address.empty() || teller.fence < fence) teller = {spec_.uid, fence, one.progress};
    }
  }
  if (teller.address.empty()) return;
  std::optional<CoordinatorReport> report = progress_of(teller);
  if (!report) return;
  const std::lock_guard lock(mutex_);
  if (report == report_) return;
  report_ = std::move(report);
  wake_(spec_.name);
}

}  // namespace carrack::control
