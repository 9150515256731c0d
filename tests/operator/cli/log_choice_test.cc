// Which members `carrack logs` prints.
#include "operator/cli/log_choice.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

using train::Role;

const std::vector<train::Member> known = {{Role::coordinator, 0}, {Role::ps, 0}, {Role::worker, 0}, {Role::worker, 1}};

TEST(LogChoice, TakesMembersByName) {
  const auto members = members_in("worker-1,ps-0", known);
  EXPECT_EQ(std::get<std::set<train::Member>>(members), (std::set<train::Member>{{Role::ps, 0}, {Role::worker, 1}}));
  EXPECT_EQ(name_width(known), std::string("coordinator-0").size());
}

TEST(LogChoice, NamesTheMembersThatThereAre) {
  for (const std::string text : {"worker-2", "worker", "", "pilot-0", "worker--1"}) {
    const auto members = members_in(text, known);
    EXPECT_EQ(std::get<std::string>(members),
              "--member: '" + text +
                  "' is not a member of the job; there are coordinator-0, ps-0, worker-0 to "
                  "worker-1");
  }
  EXPECT_EQ(std::get<std::string>(members_in("ps-0,\x1b", known)).substr(0, 20), "--member: '\\x1b' is ");
}

TEST(LogChoice, HasAllMembersUnlessSomeAreNamed) {
  EXPECT_TRUE(LogChoice{}.has({Role::ps, 0}));
  EXPECT_FALSE((LogChoice{.members = {{Role::worker, 0}}}.has({Role::ps, 0})));
}

}  // namespace
}  // namespace carrack::control
