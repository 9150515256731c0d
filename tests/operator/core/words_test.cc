// How members and exit codes are put into words.
#include <gtest/gtest.h>

#include "operator/core/exit_words.h"
#include "operator/core/member_words.h"
#include "tests/operator/core/own_job.h"

namespace carrack::control {
namespace {

using train::Role;

TEST(Words, NameMembers) {
  EXPECT_EQ(member_name({Role::ps, 3}), "ps-3");
  EXPECT_EQ(describe(train::Member{Role::worker, 12}), "worker 12");
}

TEST(Words, CountMembersOfARole) {
  EXPECT_EQ(describe_share(Role::worker, 2, 4), "2 of 4 workers");
  EXPECT_EQ(describe_share(Role::worker, 1, 4), "1 of 4 workers");
  EXPECT_EQ(describe_share(Role::coordinator, 0, 1), "0 of 1 coordinator");
  EXPECT_EQ(describe_share(Role::ps, 1, 2), "1 of 2 ps");
}

TEST(Words, NameTheExitCodesOfTheTrainerAlone) {
  EXPECT_EQ(exit_name(JobSpec(), 83), "Bug");
  EXPECT_EQ(exit_name(JobSpec(), 1), "");
  EXPECT_EQ(exit_name(own_job({}), 83), "");
  EXPECT_EQ(exit_name(own_job({}), 0), "");
}

TEST(Words, KnowTheSignalOfAnExitCode) {
  EXPECT_EQ(signal_of(137), 9);
  EXPECT_EQ(signal_of(128 + 64), 64);
  EXPECT_EQ(signal_of(255), std::nullopt) << "of a program that exits with -1";
  EXPECT_EQ(signal_of(128), std::nullopt);
  EXPECT_EQ(signal_of(1), std::nullopt);
}

}  // namespace
}  // namespace carrack::control
