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
  std::optional<int> tail = {};          // lines of each member
  std::set<train::Member> members = {};  // empty: all

  bool has(const train::Member& member) const { return members.empty() || members.contains(member); }
};

// The members in `text`, such as "worker-1,ps-0", or the error about it: those of the job are `known`.
std::variant<std::set<train::Member>, std::string> members_in(const std::string& text,
                                                              const std::vector<train::Member>& known);

// The width of the longest name of a member.
std::size_t name_width(const std::vector<train::Member>& members);

}  // namespace carrack::control
