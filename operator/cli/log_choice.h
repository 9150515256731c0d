// Which logs `carrack logs` prints, and how it names them.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "operator/cli/log_printer.h"
#include "operator/cli/program.h"
#include "operator/explain/job_view.h"

namespace carrack::control {

struct LogChoice {
  bool follow = false;
  std::optional<int> tail = {};          // only the last lines of each member; nullopt: all lines
  std::set<train::Member> members = {};  // empty: all

  bool has(const train::Member& member) const { return members.empty() || members.contains(member); }
};

// Returns the members that `text` lists, such as "worker-1,ps-0", or an error message. `known` are all members of the
// job.
std::variant<std::set<train::Member>, std::string> members_in(const std::string& text,
                                                              const std::vector<train::Member>& known);

// The length of the longest name of a member.
std::size_t name_width(const std::vector<train::Member>& members);

}  // namespace carrack::control
