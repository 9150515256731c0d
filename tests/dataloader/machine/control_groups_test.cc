#include "dataloader/machine/control_groups.h"

#include <gmock/gmock.h>

namespace carrack::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ControlGroups, AreAllThatTheProcessIsIn) {
  EXPECT_THAT(groups_in("0::/\n", ""), ElementsAre(""));
  EXPECT_THAT(groups_in("0::/a/b c/d\n", ""), ElementsAre("/a/b c/d", "/a/b c", "/a", ""));
  EXPECT_THAT(groups_in("9:cpu,cpuacct:/a\n8:memory:/b\n0::/c\n", ""), ElementsAre("/c", ""));
  EXPECT_THAT(groups_in("9:cpu,cpuacct:/a\n8:memory:/b\n0::/c\n", "memory"), ElementsAre("/b", ""));
  EXPECT_THAT(groups_in("9:cpu,cpuacct:/a:with:colons\n", "cpuacct"), ElementsAre("/a:with:colons", ""));
}

TEST(ControlGroups, AreNoneWhereTheFileSaysNothingOfThem) {
  for (const char* text : {"", "\n", "0", "0:", "::", "9:cpuset:/a", "9:cpu,cpuacct"}) {
    EXPECT_THAT(groups_in(text, "cp"), IsEmpty()) << text;
    EXPECT_THAT(groups_in(text, "memory"), IsEmpty()) << text;
  }
  EXPECT_THAT(groups_in("9:cpu:/a", ""), IsEmpty());
  EXPECT_THAT(groups_in("0::no/path", ""), ElementsAre(""));
}

TEST(ControlGroups, LimitMemory) {
  EXPECT_EQ(memory_limit_in("1073741824\n"), 1073741824u);
  EXPECT_EQ(memory_limit_in("0\n"), 0u);
  for (const char* text : {"max\n", "", "-1", "12x", "99999999999999999999999"}) {
    EXPECT_EQ(memory_limit_in(text), std::nullopt) << text;
  }
}

TEST(ControlGroups, LimitCpus) {
  EXPECT_EQ(cpu_limit_in("150000 100000\n"), 1.5);
  EXPECT_EQ(cpu_limit_in("150000\n", "50000\n"), 3);
  for (const char* text : {"max 100000", "", "100000", "100000 0", "0 100000", "-1 100000", "x 100000"}) {
    EXPECT_EQ(cpu_limit_in(text), std::nullopt) << text;
  }
  EXPECT_EQ(cpu_limit_in("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(cpu_limit_in("100000\n", ""), std::nullopt);
}

TEST(ControlGroups, AreNotAllThereIs) {
  EXPECT_EQ(memory_in("MemFree: 1 kB\nMemTotal:       2048 kB\nX: 1\n"), 2048u * 1024);
  EXPECT_EQ(memory_in("MemTotal: much\n"), std::nullopt);
  EXPECT_EQ(memory_in(""), std::nullopt);
}

}  // namespace
}  // namespace carrack::data
