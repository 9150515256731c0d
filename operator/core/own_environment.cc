#include "operator/core/own_environment.h"

#include <algorithm>
#include <vector>

#include "operator/core/plan.h"
#include "operator/core/pod_names.h"
#include "operator/core/pod_template.h"

namespace carrack::control {
namespace {

using train::Environment;
using train::Member;
using train::Role;

constexpr std::uint16_t tensorflow_port = 2222, pytorch_port = 23456;

constexpr std::string_view pytorch_variables[] = {"MASTER_ADDR",     "MASTER_PORT",     "RANK",          "WORLD_SIZE",
                                                  "PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NODE_RANK", "PET_NNODES"};

// Returns the name of the role in TF_CONFIG, where the coordinator is called "chief".
std::string tensorflow_name(Role role) {
  return role == Role::coordinator ? "chief" : std::string(train::spelled(role));
}

std::string text_of(const HostPort& address) {
  return address.host + ":" + std::to_string(address.port);
}

// Returns the value of TF_CONFIG. Hosts and roles need no escapes in JSON.
std::string tensorflow_config(const JobSpec& spec, const Member& self, const FindAddress& find_address) {
  std::string cluster;
  for (const RolePlan& role : roles_of(spec)) {
    cluster += (cluster.empty() ? "\"" : ", \"") + tensorflow_name(role.role) + "\": [";
    for (int index = 0; index < role.count; ++index) {
      cluster += (index == 0 ? "\"" : ", \"") + text_of(find_address({role.role, index})) + "\"";
    }
    cluster += "]";
  }
  return R"({"cluster": {)" + cluster + R"(}, "task": {"type": ")" + tensorflow_name(self.role) + R"(", "index": )" +
         std::to_string(self.index) + R"(}, "environment": "cloud"})";
}

// Ranks follow the order of members_of(), which begins with the leader, so the leader has rank 0.
void add_pytorch(const JobSpec& spec, const Member& self, const FindAddress& find_address, Environment& variables) {
  const std::vector<Member> members = members_of(spec);
  const HostPort leader = find_address(leader_of(spec));
  const auto rank = std::ranges::find(members, self) - members.begin();
  for (const char* prefix : {"", "PET_"}) {
    variables[std::string(prefix) + "MASTER_ADDR"] = leader.host;
    variables[std::string(prefix) + "MASTER_PORT"] = std::to_string(leader.port);
  }
  variables["RANK"] = variables["PET_NODE_RANK"] = std::to_string(rank);
  variables["WORLD_SIZE"] = variables["PET_NNODES"] = std::to_string(members.size());
}

}  // namespace

Environment own_environment(const JobSpec& spec, const Member& member, const train::Fence& fence,
                            const FindAddress& find_address) {
  Environment variables = {{"CARRACK_JOB", spec.name},
                           {"CARRACK_ROLE", std::string(train::spelled(member.role))},
                           {"CARRACK_INDEX", std::to_string(member.index)},
                           {"CARRACK_ATTEMPT", std::to_string(fence.attempt)},
                           {"CARRACK_INCARNATION", std::to_string(fence.incarnation)},
                           {"CARRACK_ADDRESS", text_of(find_address(member))},
                           {"CARRACK_LEADER", text_of(find_address(leader_of(spec)))},
                           {"PYTHONUNBUFFERED", "1"}};
  switch (spec.own->framework) {
    case Framework::none:
      break;
    case Framework::tensorflow:
      variables["TF_CONFIG"] = tensorflow_config(spec, member, find_address);
      break;
    case Framework::pytorch:
      add_pytorch(spec, member, find_address, variables);
      break;
  }
  return variables;
}

bool is_own_variable(Framework framework, std::string_view name) {
  if (name.starts_with(variable_prefix)) return true;
  if (framework == Framework::tensorflow) return name == "TF_CONFIG";
  return framework == Framework::pytorch && std::ranges::find(pytorch_variables, name) != std::end(pytorch_variables);
}

std::uint16_t own_port(const JobSpec& spec, Role role) {
  const std::optional<Node>& pod_template = pod_options(spec, role).pod_template;
  const Node* container = pod_template ? trainer_container_in(*pod_template) : nullptr;
  const Node* number = nullptr;
  if (container && !list_in(*container, "ports").empty()) {
    number = child(list_in(*container, "ports").front(), "containerPort");
  }
  const auto* port = number ? std::get_if<std::int64_t>(&number->value) : nullptr;
  if (port && *port > 0 && *port <= 65'535) return static_cast<std::uint16_t>(*port);
  return spec.own->framework == Framework::pytorch ? pytorch_port : tensorflow_port;
}

}  // namespace carrack::control
