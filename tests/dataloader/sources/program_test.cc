// Programs that write records: what they are given, how they end, and that none outlives its reader.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "dataloader/error.h"
#include "dataloader/sources/program_stream.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/reading.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {
namespace {

// Gone, or only not yet reaped by whoever inherits it.
bool has_ended(const std::string& pid) {
  std::ifstream stat("/proc/" + pid + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  return text.empty() || text.find(") Z ") != text.npos;
}

class ProgramTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const Bytes& bytes) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string read(const std::string& name) {
    std::ifstream file(folder_.path() + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string first_line(const std::string& name) { return read(name).substr(0, read(name).find('\n')); }
  // Those whose numbers stand in these files.
  void expect_ended(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      ASSERT_FALSE(first_line(name).empty());
      for (int look = 0; look < 500 && !has_ended(first_line(name)); ++look)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_TRUE(has_ended(first_line(name))) << name;
    }
  }

  const TemporaryFolder folder_;
  const std::vector<std::string> environment_ = {
      "PATH=/usr/bin:/bin", "RECORDS=" + write("three", file_of({"one", "", "three"})), "FOLDER=" + folder_.path()};
  Program shell(const std::string& script) const { return {{"sh", "-c", script}, environment_}; }
};

Lines records_of(const Program& program, std::chrono::milliseconds to_end = std::chrono::seconds(10)) {
  RecordReader reader("exec:x", std::make_unique<ProgramStream>(program, to_end));
  return read_all(reader);
}

const Lines three = {"0@0 one", "1@19 ", "2@35 three"};

Lines with(std::string last) {
  Lines lines = three;
  lines.push_back(std::move(last));
  return lines;
}

TEST_F(ProgramTest, YieldsItsRecords) {
  EXPECT_EQ(records_of(shell("cat $RECORDS")), three);
  EXPECT_EQ(records_of(shell("exit 0")), Lines());
}

TEST_F(ProgramTest, WritesMoreThanAPipeHolds) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 3000; ++i) texts.push_back(std::string(i, static_cast<char>('a' + i % 26)));
  const std::string file = write("many", file_of({texts.begin(), texts.end()}));
  EXPECT_EQ(records_of({{"cat", file}, environment_}), read_all(file_of({texts.begin(), texts.end()})));
}

TEST_F(ProgramTest, GetsItsArgumentsUnchanged) {
  const std::string odd = write("a $(b) ' * \\", file_of({"odd"}));
  EXPECT_EQ(records_of({{"cat", odd}, {}}), Lines{"0@0 odd"});
  EXPECT_EQ(name_of({{"cat", odd}, {}}), "exec:cat " + odd);
}

TEST_F(ProgramTest, HasOnlyTheGivenEnvironmentAndNoInput) {
  ::setenv("CARRACK_OTHER", "1", 1);
  EXPECT_EQ(records_of(shell("test -z \"$CARRACK_OTHER\" && cat && cat $RECORDS")), three);
}

TEST_F(ProgramTest, CannotBeResumed) {
  RecordReader reader("exec:x", std::make_unique<ProgramStream>(shell("cat $RECORDS")));
  EXPECT_EQ(reader.resume(), Seek::never);
}

TEST_F(ProgramTest, ReportsAFailureBehindTheRecords) {
  EXPECT_EQ(
      records_of(shell("cat $RECORDS; echo 'no disk' >&2; echo 'giving up' >&2; exit 3")),
      with("exec:x: record 3 at byte 56: the program ended with exit code 3; it said: no disk\ngiving up; lost 0"));
  EXPECT_EQ(records_of(shell("cat $RECORDS; kill -9 $$")),
            with("exec:x: record 3 at byte 56: the program was ended by signal 9; lost 0"));
  EXPECT_EQ(records_of(shell("cat $RECORDS; head -c 10 $RECORDS; exit 1")),
            with("exec:x: record 3 at byte 56: the program ended with exit code 1; lost 10"));
}

TEST_F(ProgramTest, ReportsATruncatedRecord) {
  EXPECT_EQ(records_of(shell("cat $RECORDS; head -c 10 $RECORDS")),
            with("exec:x: record 3 at byte 56: the file ends within the record; lost 10"));
}

TEST_F(ProgramTest, IsNotBlockedByItsStandardError) {
  const Lines found =
      records_of(shell("i=0; while [ $i -lt 20000 ]; do echo \"line $i\" >&2; i=$((i+1)); done; cat $RECORDS; exit 1"));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_TRUE(
      found[3].starts_with("exec:x: record 3 at byte 56: the program ended with exit code 1; it said: line 199"));
  EXPECT_TRUE(found[3].ends_with("\nline 19998\nline 19999; lost 0"));
  EXPECT_LT(found[3].size(), 1200u);
}

TEST_F(ProgramTest, IsKilledIfItRunsOnWithoutOutput) {
  EXPECT_EQ(records_of(shell("cat $RECORDS; exec 1>&-; sleep 1000"), std::chrono::milliseconds(200)),
            with("exec:x: record 3 at byte 56: the program has closed its output, and goes on running; lost 0"));
}

TEST_F(ProgramTest, HasTimeToEndAlsoIfItSaysMuch) {
  const std::string says_much = "cat $RECORDS; exec 1>&-; for i in $(seq 200); do echo $i >&2; sleep 0.002; done";
  EXPECT_EQ(records_of(shell(says_much), std::chrono::seconds(3)), records_of(shell("cat $RECORDS")));
}

TEST_F(ProgramTest, WaitsNoLongerThanItsReaderWants) {
  struct Enough : std::exception {};
  int heeded = 0;
  const auto check_cancelled = [&] {
    if (++heeded == 3) throw Enough();
  };
  RecordReader reader(
      "exec:x", std::make_unique<ProgramStream>(shell("sleep 1000"), std::chrono::milliseconds(0), check_cancelled));
  EXPECT_THROW(reader.next(), Enough);
}

TEST_F(ProgramTest, ThrowsIfItCannotBeStarted) {
  const auto words = [](const Program& program) -> std::string {
    try {
      ProgramStream stream(program);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(words({{"/nowhere/program", "x"}, {}}),
            "exec:/nowhere/program x: cannot be started: No such file or directory");
  EXPECT_EQ(words({{}, {}}), "exec: no program is named");
}

TEST_F(ProgramTest, EndsWithTheProcessThatReadsIt) {
  const pid_t reading = ::fork();
  if (reading == 0) {
    const ProgramStream stream(shell("sleep 1000 & echo $! > $FOLDER/child; echo $$ > $FOLDER/pid; wait"));
    ::pause();
  }
  while (read("pid").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(has_ended(first_line("pid")));
  ::kill(reading, SIGKILL);
  ::waitpid(reading, nullptr, 0);
  expect_ended({"pid", "child"});
}

// As `timeout` leaves the group that it was started in.
TEST_F(ProgramTest, EndsWithItsReaderEvenInAnotherGroup) {
  for (const char* leaves : {"timeout 1000", "setsid"}) {
    const std::string pid = std::string("pid of ") + leaves;
    RecordReader reader(
        "exec:x", std::make_unique<ProgramStream>(shell("exec " + std::string(leaves) + " sh -c 'echo $$ > \"$FOLDER/" +
                                                        pid + "\"; while :; do cat $RECORDS; done'")));
    ASSERT_TRUE(std::holds_alternative<Records>(reader.next()));
  }
  expect_ended({"pid of timeout 1000", "pid of setsid"});
}

TEST_F(ProgramTest, EndsWithItsReaderAndSoDoItsChildren) {
  {
    RecordReader reader(
        "exec:x", std::make_unique<ProgramStream>(shell(
                      "sleep 1000 & echo $! > $FOLDER/child; echo $$ > $FOLDER/pid; while :; do cat $RECORDS; done")));
    ASSERT_TRUE(std::holds_alternative<Records>(reader.next()));
    EXPECT_FALSE(has_ended(first_line("pid")));
  }
  expect_ended({"pid", "child"});
}

}  // namespace
}  // namespace carrack::data
