#include "trainer/process/process.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include "dataloader/credentials/google_storages.h"
#include "dataloader/error.h"
#include "dataloader/http/page_server.h"
#include "dataloader/machine/limits.h"
#include "trainer/comm/transport/key.h"
#include "trainer/error.h"
#include "trainer/launch/log_line.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

std::string text_of_file(const std::string& path, const std::string& what) {
  std::ifstream file(path, std::ios::binary);
  file.peek();  // fails for a folder, which can be opened but not read
  if (!file.is_open() || file.bad()) throw Error(Blame::platform, what + ": cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_log(const std::string& line) {
  std::fprintf(stderr, "%s\n", log_line(line).c_str());
}

// The time in which the last message of a process that hangs must be written.
constexpr auto print_within = std::chrono::seconds(10);

// Tests set the variable, so that they need not wait for minutes until the watchdog acts.
std::chrono::milliseconds watchdog_second(const Environment& environment) {
  const std::string milliseconds = value_of(environment, "CARRACK_TEST_WATCHDOG_SECOND_MS");
  return milliseconds.empty() ? std::chrono::seconds(1) : std::chrono::milliseconds(std::stoi(milliseconds));
}

data::Moment now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Exit exit_for_blame(Blame blame) {
  switch (blame) {
    case Blame::user:
      return Exit::user_error;
    case Blame::platform:
      return Exit::platform_error;
    case Blame::bug:
      break;
  }
  return Exit::bug;
}

}  // namespace

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

Launch launch_from(const Environment& environment) {
  const std::string name(config_variable);
  return parse_launch(environment, text_of_file(value_of(environment, name), name));
}

std::shared_ptr<const Key> key_of(const Launch& launch) {
  if (launch.config.strategy == Strategy::single) return nullptr;
  return Key::from_file(launch.addresses.key_folder + "/key");
}

RoleContext context_from(const Environment& environment, std::shared_ptr<const Key> key,
                         std::function<bool()> shutdown_requested) {
  std::random_device entropy;
  const std::uint64_t nonce = std::uint64_t{entropy()} << 32 | entropy();
  const std::uint64_t memory = data::memory_of_this_process();
  // Never destroyed, because the thread that removes old checkpoints may use the storages until the process ends.
  static const auto& google = *new data::GoogleStorages(environment, now, nonce, memory);
  return {.storages = google.storages(),
          .key = std::move(key),
          .nonce = std::to_string(nonce),
          .shutdown_requested = std::move(shutdown_requested),
          .memory = memory,
          .cpus = static_cast<unsigned>(std::ceil(data::cpus_of_this_process())),
          .index_cache = value_of(environment, "CARRACK_INDEX_CACHE"),
          .unix_seconds = unix_seconds,
          .report_hang = end_hung_process,
          .watchdog_second = watchdog_second(environment),
          .log = write_log};
}

void serve_health(const Environment& environment) {
  const std::string address = value_of(environment, std::string(health_variable));
  if (address.empty()) return;
  try {
    const data::Pages pages{{health_path, [] { return data::Page{.body = "ok\n"}; }}};
    // Never destroyed, because it serves until the process ends.
    static const data::PageServer& server = *new data::PageServer(address, pages);
    static_cast<void>(server);
  } catch (const std::exception& error) {
    throw Error(Blame::platform, "cannot serve " + std::string(health_path) + " at " + address + ": " + error.what());
  }
}

void arm_point(const Environment& environment) {
  const std::string point = value_of(environment, "CARRACK_TEST_POINT");
  if (!point.empty()) arm(armed_point_from(point));
}

void end_hung_process(const std::string& text) {
  // The thread that hangs may do so while it writes to the standard error, and then this thread would, too.
  std::thread([] {
    std::this_thread::sleep_for(print_within);
    _exit(static_cast<int>(Exit::platform_error));
  }).detach();
  std::fprintf(stderr, "%s\n", text.c_str());
  _exit(static_cast<int>(Exit::platform_error));
}

Exit exit_for(const std::exception& error) {
  if (dynamic_cast<const FolderTaken*>(&error) != nullptr) return Exit::checkpoint_taken;
  if (const auto* own = dynamic_cast<const Error*>(&error)) return exit_for_blame(own->blame());
  if (dynamic_cast<const data::Refused*>(&error) != nullptr) return Exit::user_error;
  return Exit::platform_error;
}

}  // namespace carrack::train
