#include "operator/runtime/cluster.h"

#include <variant>

#include "trainer/launch/overloaded.h"

namespace carrack::control {

Kind kind_of(const Action& action) {
  return std::visit(
      train::overloaded{
          [](const CreateService&) { return Kind::service; }, [](const CreateConfig&) { return Kind::config; },
          [](const DeleteService&) { return Kind::service; }, [](const DeleteJob&) { return Kind::job; },
          [](const DeleteConfig&) { return Kind::config; }, [](const CreateProcess&) { return Kind::process; },
          [](const CheckProcess&) { return Kind::process; }, [](const WithdrawProcess&) { return Kind::process; },
          [](const DeleteProcess&) { return Kind::process; }},
      action);
}

const std::string& child_of(const Action& action) {
  return std::visit(
      train::overloaded{[](const CreateProcess& create) -> const std::string& { return create.process.name; },
                        [](const CheckProcess& check) -> const std::string& { return check.process.name; },
                        [](const auto& other) -> const std::string& { return other.name; }},
      action);
}

std::vector<Reply> Cluster::apply_all(const std::string& job, const JobSpec& spec, std::span<const Action> actions) {
  std::vector<Reply> replies;
  for (const Action& action : actions) replies.push_back(apply(job, spec, action));
  return replies;
}

}  // namespace carrack::control
