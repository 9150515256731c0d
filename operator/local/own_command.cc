#include "operator/local/own_command.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <variant>

#include "dataloader/check.h"
#include "dataloader/machine/environment.h"
#include "operator/core/plan.h"
#include "operator/core/pod_template.h"
#include "operator/core/problems.h"
#include "operator/local/program_file.h"

namespace carrack::control {
namespace {

std::vector<std::string> texts_in(const Node& container, std::string_view name) {
  std::vector<std::string> texts;
  for (const Node& one : list_in(container, name)) {
    const auto* text = std::get_if<std::string>(&one.value);
    texts.push_back(text ? *text : "");
  }
  return texts;
}

bool is_program(const std::string& path) {
  std::error_code failed;
  return !std::filesystem::is_directory(path, failed) && access(path.c_str(), X_OK) == 0;
}

// Returns the absolute path of the program that a shell in `folder` would run for this name; empty if it finds none. A
// name with a '/', and each relative folder in PATH, is relative to `folder`. The file of a name with a '/' only has to
// exist.
std::string find_program(const std::string& name, const std::string& folder) {
  if (name.find('/') != name.npos) {
    const std::string path = std::filesystem::absolute(std::filesystem::path(folder) / name);
    std::error_code failed;
    return std::filesystem::exists(path, failed) ? path : "";
  }
  const auto variables = data::environment_of_this_process();
  const auto path = variables.find("PATH");
  std::istringstream places(path == variables.end() ? "/usr/local/bin:/usr/bin:/bin" : path->second);
  for (std::string place; std::getline(places, place, ':');) {
    const std::string candidate =
        std::filesystem::absolute(std::filesystem::path(folder) / (place.empty() ? "." : place) / name);
    if (is_program(candidate)) return candidate;
  }
  return "";
}

// Replaces $(NAME) by the value of the variable, as Kubernetes does: $$ is a plain $, and the name of a variable that
// does not exist stays as it is.
std::string expand(const std::string& text, const train::Environment& variables) {
  std::string expanded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text.find(')', at);
    if (text.compare(at, 2, "$$") == 0) {
      expanded += '$';
      ++at;
    } else if (text.compare(at, 2, "$(") == 0 && end != text.npos) {
      const auto found = variables.find(text.substr(at + 2, end - at - 2));
      expanded += found == variables.end() ? text.substr(at, end - at + 1) : found->second;
      at = end;
    } else {
      expanded += text[at];
    }
  }
  return expanded;
}

void check_program(const std::string& name, const std::string& folder, const std::string& field, Problems& problems) {
  if (name.find("$(") != std::string::npos) return;  // The name depends on variables, which differ by member.
  const std::string path = find_program(name, folder);
  const std::string fault = path.empty() ? "is not a program on this machine" : fault_of_program(path);
  problems.expect(fault.empty(), field, "'" + name + "' " + fault + "; the image is not used here");
}

void check_container(const Node& container, const std::string& field, Problems& problems) {
  const std::vector<std::string> command = texts_in(container, "command");
  const Node* given = child(container, "command");
  const bool is_wrong = given && !std::holds_alternative<Node::List>(given->value);  // The template check reports this.
  problems.expect(!command.empty() || is_wrong, field + ".command",
                  "is missing; on this machine the image is not used, so give the command that it runs");
  const std::string folder = text_in(container, "workingDir");
  if (!command.empty()) check_program(command.front(), folder, field + ".command[0]", problems);
  std::error_code unreadable;
  problems.expect(folder.empty() || std::filesystem::is_directory(folder, unreadable), field + ".workingDir",
                  "'" + folder + "' is not a folder on this machine; the image is not used here");
  problems.expect(!child(container, "envFrom"), field + ".envFrom",
                  "can be read in a cluster alone; give the variables as env with value");
  const Node::List& variables = list_in(container, "env");
  for (std::size_t at = 0; at < variables.size(); ++at) {
    problems.expect(!child(variables[at], "valueFrom"), field + ".env[" + to_text(at) + "].valueFrom",
                    "can be read in a cluster alone; give a value");
  }
}

std::size_t index_of(const Node& pod_template, const Node* container) {
  const Node::List& containers = list_in(*child(pod_template, "spec"), "containers");
  return static_cast<std::size_t>(container - containers.data());
}

}  // namespace

std::vector<Problem> problems_of_own_commands(const JobSpec& spec) {
  Problems problems;
  for (const RolePlan& role : roles_of(spec)) {
    const Node* container = runs_own_program(spec, role.role) ? trainer_container_of(spec, role.role) : nullptr;
    if (!container) continue;
    const std::string field = "spec.replicas." + std::string(train::spelled(role.role)) + ".template.spec.containers[" +
                              to_text(index_of(*pod_options(spec, role.role).pod_template, container)) + "]";
    check_container(*container, field, problems);
  }
  return problems.found();
}

OwnCommand own_command(const JobSpec& spec, train::Role role, train::Environment variables) {
  const Node* container = trainer_container_of(spec, role);
  CHECK(container != nullptr);
  for (const Node& one : list_in(*container, "env")) {
    variables[text_in(one, "name")] = expand(text_in(one, "value"), variables);
  }
  OwnCommand command{.program = {}, .arguments = {}, .environment = {}, .folder = text_in(*container, "workingDir")};
  for (const char* list : {"command", "args"}) {
    for (const std::string& text : texts_in(*container, list)) command.arguments.push_back(expand(text, variables));
  }
  CHECK(!command.arguments.empty());
  command.program = find_program(command.arguments.front(), command.folder);
  if (command.program.empty()) command.program = command.arguments.front();  // Its start then fails and says why.
  command.arguments.erase(command.arguments.begin());
  command.environment = std::move(variables);
  return command;
}

}  // namespace carrack::control
