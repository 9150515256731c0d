#include "operator/runtime/cluster.h"

#include <variant>

#include "trainer/launch/overloaded.h"

namespace carrack::control {

std::optional<Kind> kind_of(const Action& action) {
  using Result = std::optional<Kind>;
  return std::visit(train::overloaded{[](const CreateService&) -> Result { return Kind::service; },
                                      [](const CreateConfig&) -> Result { return Kind::config; },
                                      [](const CreateKey&) -> Result { return std::nullopt; },
                                      [](const DeleteService&) -> Result { return Kind::service; },
                                      [](const DeleteJob&) -> Result { return Kind::job; },
                                      [](const DeleteConfig&) -> Result { return Kind::config; },
                                      [](const CreateProcess&) -> Result { return Kind::process; },
                                      [](const CheckProcess&) -> Result { return Kind::process; },
                                      [](const WithdrawProcess&) -> Result { return Kind::process; },
                                      [](const DeleteProcess&) -> Result { return Kind::process; }},
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
