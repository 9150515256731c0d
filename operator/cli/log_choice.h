// Which logs `carrack logs` prints, by its options --follow, --tail and --member. A member is one process of the job,
// such as worker-1.
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

// Parses the value of --member, such as "worker-1,ps-0". `known` are all members of the job. Returns a message for the
// user if `text` is empty or names a member that is not in `known`.
std::variant<std::set<train::Member>, std::string> members_in(const std::string& text,
                                                              const std::vector<train::Member>& known);

// Returns the length of the longest name of a member, such as 8 for "worker-1", for LogPrinter; 0 for no members.
std::size_t name_width(const std::vector<train::Member>& members);

}  // namespace carrack::control
