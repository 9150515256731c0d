#include "operator/local/trainer_process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "dataloader/machine/environment.h"
#include "operator/error.h"
#include "trainer/launch/launch.h"

namespace carrack::control {
namespace {

// Returns the path of a file in memory with this text. The program that replaces this process inherits the file.
std::string path_in_memory(const std::string& text) {
  const int file = memfd_create("carrack-config", 0);
  if (file < 0 || write(file, text.data(), text.size()) != std::ssize(text)) {
    throw Error(Blame::platform, std::string("a file in memory cannot be written: ") + std::strerror(errno));
  }
  return "/proc/self/fd/" + std::to_string(file);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void execute(const std::string& program, std::vector<std::string> arguments,
                          const train::Environment& variables) {
  std::vector<std::string> lines = data::environment_lines(variables);
  arguments.insert(arguments.begin(), program);
  execve(program.c_str(), pointers_to(arguments).data(), pointers_to(lines).data());
  throw Error(Blame::user, program + ": cannot be started (" + std::strerror(errno) + "); --trainer names the program");
}

}  // namespace

void become_trainer(const std::string& program, std::vector<std::string> arguments, const JobSpec& job) {
  const train::Launch launch{
      .job = job.name, .job_uid = job.uid, .member = {}, .fence = {}, .addresses = {}, .config = job.config};
  train::Environment variables = train::to_environment(launch);
  variables[std::string(train::config_variable)] = path_in_memory(train::to_config_text(job.config));
  variables.merge(data::environment_of_this_process());
  execute(program, std::move(arguments), variables);
}

void become_trainer(const std::string& program, std::vector<std::string> arguments) {
  execute(program, std::move(arguments), data::environment_of_this_process());
}

}  // namespace carrack::control
