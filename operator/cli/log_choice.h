// Which logs `carrack logs` prints, and how wide the names of their members are.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "operator/cli/log_printer.h"
#include "operator/cli/program.h"
#include "operator/explain/job_view.h"

namespace carrack::control {

struct LogChoice {
  bool follow = false;                   // also print new lines as they are written
  std::optional<int> tail = {};          // print only this many of the last lines of each member; nullopt: all lines
  std::set<train::Member> members = {};  // empty: all members

  bool has(const train::Member& member) const { return members.empty() || members.contains(member); }
};

// Returns the members that `text` lists, such as "worker-1,ps-0". `known` are all members of the job. Returns a message
// for the user if `text` is empty or names any other member.
std::variant<std::set<train::Member>, std::string> members_in(const std::string& text,
                                                              const std::vector<train::Member>& known);

// Returns the length of the longest name of a member, such as 8 for "worker-1"; 0 for no members.
std::size_t name_width(const std::vector<train::Member>& members);

}  // namespace carrack::control
