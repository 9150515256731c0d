#include "operator/local/child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

void wait_until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "what was awaited did not come";
    std::this_thread::sleep_for(milliseconds(2));
  }
}

// Starts programs in a folder of their own.
class ChildTest : public testing::Test {
 protected:
  Child start(const std::string& script) {
    return Child({"/bin/sh", {}, folder_.path() + "/log", {"-c", script}, folder_.path()});
  }

  std::string write_program(const std::string& text) {
    std::ofstream(folder_.path() + "/program") << text;
    std::filesystem::permissions(folder_.path() + "/program", std::filesystem::perms::owner_all);
    return folder_.path() + "/program";
  }

  // The number that a program has written to this file.
  pid_t pid_in(const std::string& name) {
    pid_t pid = 0;
    wait_until([&] { return bool(std::ifstream(folder_.path() + "/" + name) >> pid); });
    return pid;
  }

  // A zombie counts as one that has ended: its new parent may be slow to take note.
  static bool runs(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return (stat >> number >> name >> state) && state != "Z" && state != "X";
  }

  static void await_end(Child& child) {
    wait_until([&] {
      child.poll();
      return !child.running();
    });
  }

  const data::TemporaryFolder folder_;
};

// Its parent has ended, and it has a session of its own: neither its process group nor its parent leads to it.
constexpr const char* daemon =
    "(setsid sh -c 'echo $$ > daemon.new; mv daemon.new daemon; exec sleep 1000' &); "
    "until [ -e daemon ]; do sleep 0.01; done; ";

TEST_F(ChildTest, EndsWithTheExitCodeOfItsProgram) {
  Child fails = start("echo no luck; exit 3");
  await_end(fails);
  EXPECT_EQ(fails.exit_code(), 3);
  EXPECT_EQ(fails.termination_message(), "no luck");
  EXPECT_FALSE(fails.cannot_start());
  Child killed = start("kill -9 $$");
  await_end(killed);
  EXPECT_EQ(killed.exit_code(), 137);
}

TEST_F(ChildTest, TakesADaemonOfItsProgramAlong) {
  Child child = start(std::string(daemon) + "exit 0");
  await_end(child);
  EXPECT_EQ(child.exit_code(), 0);
  EXPECT_FALSE(runs(pid_in("daemon")));
}

TEST_F(ChildTest, KillsADaemonOfItsProgramAtTheEndOfTheGrace) {
  Child child = start(std::string(daemon) + "trap '' TERM; echo $$ > pid; while true; do sleep 0.01; done");
  const pid_t program = pid_in("pid");
  child.terminate(minutes(1));
  std::this_thread::sleep_for(milliseconds(20));
  child.poll();
  EXPECT_TRUE(child.running());
  child.terminate(milliseconds(0));
  await_end(child);
  EXPECT_EQ(child.exit_code(), 137);
  EXPECT_FALSE(runs(program));
  EXPECT_FALSE(runs(pid_in("daemon")));
}

TEST_F(ChildTest, TellsItsProgramAloneToEnd) {
  Child child = start("trap 'echo told; exit 5' TERM; echo $$ > pid; while true; do sleep 0.01; done");
  pid_in("pid");
  child.terminate(minutes(1));
  await_end(child);
  EXPECT_EQ(child.exit_code(), 5);
  EXPECT_EQ(child.termination_message(), "told");
}

TEST_F(ChildTest, KillsWhatStillRunsWhenItIsDestroyed) {
  {
    const Child child = start(std::string(daemon) + "echo $$ > pid; exec sleep 1000"), other = start("exec sleep 1000");
    pid_in("pid");
  }
  EXPECT_FALSE(runs(pid_in("pid")));
  EXPECT_FALSE(runs(pid_in("daemon")));
}

TEST_F(ChildTest, EndsWithTheProcessThatStartedIt) {
  const pid_t starter = fork();
  if (starter == 0) {
    const Child child = start(std::string(daemon) + "echo $$ > pid; exec sleep 1000");
    pause();
    _exit(0);
  }
  const pid_t program = pid_in("pid");
  kill(starter, SIGKILL);
  waitpid(starter, nullptr, 0);
  wait_until([&] { return !runs(program) && !runs(pid_in("daemon")); });
}

TEST_F(ChildTest, KnowsSinceWhenItsProgramIsStopped) {
  Child child = start("echo $$ > pid; exec sleep 1000");
  const pid_t program = pid_in("pid");
  kill(program, SIGSTOP);
  wait_until([&] {
    child.poll();
    return child.stopped_since().has_value();
  });
  EXPECT_TRUE(child.running());
  kill(program, SIGCONT);
  wait_until([&] {
    child.poll();
    return !child.stopped_since().has_value();
  });
  kill(program, SIGSTOP);
}

TEST_F(ChildTest, IsKilledThoughItsSupervisorIsStopped) {
  Child child = start("echo $$ > pid; echo $PPID > supervisor; exec sleep 1000");
  kill(pid_in("supervisor"), SIGSTOP);
  child.terminate(milliseconds(0));
  await_end(child);
  EXPECT_FALSE(runs(pid_in("pid")));
}

TEST_F(ChildTest, GoesOnThoughSomebodyStopsItsSupervisor) {
  Child child = start("echo $PPID > supervisor; until [ -e end ]; do sleep 0.01; done; exit 7");
  kill(pid_in("supervisor"), SIGSTOP);
  std::ofstream(folder_.path() + "/end");
  await_end(child);
  EXPECT_EQ(child.exit_code(), 7);
}

// A `pkill -f 'carrack run'` finds supervisors, too.
TEST_F(ChildTest, DoesNotPassOnWhatOthersTellItsSupervisor) {
  Child child = start(
      "trap 'exit 5' TERM; echo $PPID > supervisor; echo $$ > pid; until [ -e end ]; do sleep 0.01; done; exit 7");
  pid_in("pid");
  const std::string command = "kill -TERM " + std::to_string(pid_in("supervisor"));
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_TRUE(runs(pid_in("pid")));
  std::ofstream(folder_.path() + "/end");
  await_end(child);
  EXPECT_EQ(child.exit_code(), 7);
}

TEST_F(ChildTest, HoldsNoFileOfTheProcessThatStartedIt) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const Child child = start("echo $$ > pid; exec sleep 1000");
  pid_in("pid");
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "somebody else has the end of the pipe that writes";
  close(ends[0]);
}

TEST_F(ChildTest, SaysWhyItsProgramCannotBeStarted) {
  const auto message_of = [&](const std::string& program, const std::string& folder = "") {
    Child child({program, {}, folder_.path() + "/log", {}, folder});
    await_end(child);
    EXPECT_EQ(child.exit_code(), 127);
    EXPECT_TRUE(child.cannot_start());
    return child.termination_message();
  };
  EXPECT_EQ(message_of("/no/such"), "/no/such: No such file or directory");
  EXPECT_EQ(message_of("/etc"), "/etc: Permission denied");
  EXPECT_EQ(message_of("/bin/true", "/no/folder"), "/no/folder: No such file or directory");
  const std::string program = write_program("echo no shebang\n");
  EXPECT_EQ(message_of(program), program + ": Exec format error");
  write_program("#!/no/such/python\n");
  EXPECT_EQ(message_of(program), program + ": the interpreter that it names: No such file or directory");
}

TEST_F(ChildTest, MayStartLaterIfItsProgramIsBeingWritten) {
  const std::string program = write_program("#!/bin/sh\n");
  const int writer = open(program.c_str(), O_WRONLY | O_CLOEXEC);
  Child child({program, {}, folder_.path() + "/log", {}, ""});
  await_end(child);
  close(writer);
  EXPECT_EQ(child.exit_code(), 127);
  EXPECT_FALSE(child.cannot_start());
  EXPECT_EQ(child.termination_message(), program + ": Text file busy");
}

}  // namespace
}  // namespace carrack::control
