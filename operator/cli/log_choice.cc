#include "operator/cli/log_choice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "dataloader/text.h"
#include "operator/codec/status_fields.h"
#include "operator/core/member_words.h"
#include "operator/core/printable.h"

namespace carrack::control {
namespace {

// Returns text such as "coordinator-0, ps-0, worker-0 to worker-3".
std::string ranges_of(const std::vector<train::Member>& members) {
  std::map<train::Role, int> last;
  for (const train::Member& member : members) last[member.role] = std::max(last[member.role], member.index);
  std::vector<std::string> ranges;
  for (const auto& [role, index] : last) {
    const std::string first = member_name({role, 0});
    ranges.push_back(index == 0 ? first : first + " to " + member_name({role, index}));
  }
  return data::joined(ranges, ", ");
}

}  // namespace

std::variant<std::set<train::Member>, std::string> members_in(const std::string& text,
                                                              const std::vector<train::Member>& known) {
  std::set<train::Member> members;
  std::string_view rest = text;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string name(rest.substr(0, comma));
    const auto member = key_from(name, static_cast<const train::Member*>(nullptr));
    if (!member || std::ranges::find(known, *member) == known.end()) {
      return "--member: '" + printable(name) + "' is not a member of the job; there are " + ranges_of(known);
    }
    members.insert(*member);
    is_last = comma == rest.size();
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return members;
}

std::size_t name_width(const std::vector<train::Member>& members) {
  std::size_t width = 0;
  for (const train::Member& member : members) width = std::max(width, member_name(member).size());
  return width;
}

}  // namespace carrack::control
