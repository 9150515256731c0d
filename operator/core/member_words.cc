#include "operator/core/member_words.h"

namespace carrack::control {

std::string member_name(const train::Member& member) {
  return std::string(train::spelled(member.role)) + "-" + std::to_string(member.index);
}

std::string describe(const train::Member& member) {
  return std::string(train::spelled(member.role)) + " " + std::to_string(member.index);
}

std::string describe_share(train::Role role, int count, int of) {
  const bool has_plural = role != train::Role::ps;
  return std::to_string(count) + " of " + std::to_string(of) + " " + std::string(train::spelled(role)) +
         (of != 1 && has_plural ? "s" : "");
}

}  // namespace carrack::control
