// The logs of a run: their names, their ends, and files that grow.
#include "operator/local/log_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "operator/error.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;

class Logs : public testing::Test {
 protected:
  Logs() { std::filesystem::create_directories(folder_.path() + "/logs"); }

  std::string append(const std::string& name, const std::string& text) {
    std::string path = folder_.path() + "/logs/" + name;
    std::ofstream(path, std::ios::app) << text;
    return path;
  }

  static std::vector<std::string> read(GrowingFile& file) {
    std::vector<std::string> lines;
    file.read([&](std::string_view line) { lines.emplace_back(line); });
    return lines;
  }

  static std::vector<std::string> last(const std::string& path, int count) {
    GrowingFile file(path);
    file.skip_to_last(count);
    std::vector<std::string> lines = read(file);
    file.finish([&](std::string_view line) { lines.emplace_back(line); });
    return lines;
  }

  const data::TemporaryFolder folder_;
};

TEST_F(Logs, AreKnownByTheirNames) {
  EXPECT_TRUE(log_files(folder_.path() + "/none").empty());
  for (const char* name : {"a-b-x1y2z-worker-10-0-1.log", "a-b-x1y2z-worker-2-1-1.log", "a-b-x1y2z-worker-2-0-3.log",
                           "a-b-x1y2z-ps-0-0-1.log", "notes.txt", "worker-1.log", "a-b-pilot-0-0-1.log", "-.log"}) {
    append(name, "");
  }
  std::vector<std::string> processes;
  for (const LogFile& file : log_files(folder_.path())) processes.push_back(file.process);
  EXPECT_THAT(processes, ElementsAre("a-b-x1y2z-ps-0-0-1", "a-b-x1y2z-worker-2-0-3", "a-b-x1y2z-worker-2-1-1",
                                     "a-b-x1y2z-worker-10-0-1"));
  const LogFile file = log_files(folder_.path())[2];
  EXPECT_EQ(file.member, (train::Member{train::Role::worker, 2}));
  EXPECT_EQ(file.fence, (train::Fence{1, 1}));
}

TEST_F(Logs, EndWithTheWordsThatAreNoLogLines) {
  const std::string path = append("log", "log: begins\ncannot write\nlog: ends\n");
  EXPECT_EQ(last_words(path), "cannot write");
  EXPECT_EQ(last_words(folder_.path() + "/none"), "");
}

TEST_F(Logs, AreReadAsTheyGrow) {
  GrowingFile file(append("log", "one\ntwo"));
  EXPECT_THAT(read(file), ElementsAre("one"));
  EXPECT_THAT(read(file), ElementsAre());
  append("log", " and a half\n\nthree");
  EXPECT_THAT(read(file), ElementsAre("two and a half", ""));
  std::vector<std::string> rest;
  const auto keep = [&](std::string_view line) { rest.emplace_back(line); };
  file.finish(keep);
  file.finish(keep);
  EXPECT_THAT(rest, ElementsAre("three"));
}

TEST_F(Logs, MayBeReadFromTheLastLinesOn) {
  const std::string path = append("log", "one\ntwo\nthree\n");
  EXPECT_THAT(last(path, 1), ElementsAre("three"));
  EXPECT_THAT(last(path, 2), ElementsAre("two", "three"));
  EXPECT_THAT(last(path, 3), ElementsAre("one", "two", "three"));
  EXPECT_THAT(last(path, 9), ElementsAre("one", "two", "three"));
  append("log", "four");
  EXPECT_THAT(last(path, 1), ElementsAre("four"));
  EXPECT_THAT(last(path, 2), ElementsAre("three", "four"));
  EXPECT_THAT(last(append("empty", ""), 2), ElementsAre());
  const std::string large = append("large", std::string(200'000, 'a') + "\n" + std::string(100'000, 'b') + "\nc\n");
  EXPECT_EQ(last(large, 2).front().size(), 100'000U);
  EXPECT_EQ(last(large, 3).front().size(), 200'000U);
}

TEST_F(Logs, OfLinesWithoutEndAreCut) {
  GrowingFile file(append("log", std::string(std::size_t{5} << 19, 'a') + "\n"));
  std::size_t bytes = 0;
  for (const std::string& line : read(file)) {
    EXPECT_LT(line.size(), std::size_t{5} << 18);
    bytes += line.size();
  }
  EXPECT_EQ(bytes, std::size_t{5} << 19);
}

TEST_F(Logs, ThatCannotBeReadAreNamed) {
  GrowingFile file(folder_.path() + "/none");
  try {
    read(file);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder_.path() + "/none: cannot be read: No such file or directory");
  }
}

}  // namespace
}  // namespace carrack::control
