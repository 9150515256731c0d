// What is true of files alone.
#include "dataloader/storage/file/file_storage.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "dataloader/error.h"
#include "tests/contract/storage_objects.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class File : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder.path() + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  TemporaryFolder folder;
  FileStorage storage{1};
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Refused& error) {
    return error.what();
  }
  return "no refusal";
}

// From now on these two system calls of this process fail with `error`.
void forbid(unsigned one, unsigned other, unsigned error) {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{std::size(steps), steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST_F(File, ThatCanNeverBeIsRefused) {
  std::ofstream(path("file")) << "here";
  const std::string through = path("file") + "/HEAD", endless = path(std::string(300, 'n'));
  const auto writes = [this](const std::string& url) { storage.replace_if(url, std::nullopt, {}); };
  EXPECT_EQ(refusal_of([&] { writes(through); }), through + ": cannot create it: Not a directory");
  EXPECT_EQ(refusal_of([&] { storage.create(through, {}); }), through + ": cannot create it: Not a directory");
  EXPECT_EQ(refusal_of([&] { writes("/proc/none/HEAD"); }), "/proc/none: cannot make the folder: there can be none");
  EXPECT_EQ(refusal_of([&] { writes(endless + "/HEAD"); }), endless + ": cannot make the folder: File name too long");
  EXPECT_EQ(refusal_of([&] { storage.list(endless + "/*"); }),
            endless + "/: cannot list the folder: File name too long");
  EXPECT_EQ(refusal_of([&] { storage.stat(path("a/")); }),
            path("a/") + ": is the name of a folder; write the name of a file");
}

TEST_F(File, IsFoundByItsBarePathToo) {
  const ObjectStat written = put(storage, "file://" + path("a"), "content");
  EXPECT_EQ(storage.stat(path("a")), written);
  EXPECT_EQ(storage.list(path("*")), (std::vector<Listed>{{path("a"), written}}));
  EXPECT_EQ(storage.list("file://" + path("*")), (std::vector<Listed>{{"file://" + path("a"), written}}));
}

TEST_F(File, IsFoundFromThePresentFolder) {
  std::filesystem::current_path(folder.path());
  const ObjectStat written = put(storage, "a", "content");
  put(storage, "folder/b", "content");
  EXPECT_EQ(storage.list("?"), (std::vector<Listed>{{"a", written}}));
  EXPECT_EQ(storage.list("**").size(), 2u);
  EXPECT_TRUE(storage.replace_if("HEAD", std::nullopt, {}));
  EXPECT_TRUE(std::filesystem::exists(path("HEAD.1")));
}

// As for a user who may enter a folder, but not read it.
TEST_F(File, IsListedByItsNameInAFolderThatMayNotBeListed) {
  put(storage, path("a"), "content");
  const auto report = [&](const std::string& pattern) {
    forbid(SYS_getdents, SYS_getdents64, EACCES);
    std::cerr << message_of([&] { std::cerr << storage.list(pattern).size() << " listed, "; }) << '\n';
    _exit(0);
  };
  EXPECT_EXIT(report(path("a")), testing::ExitedWithCode(0), "^1 listed, no error");
  EXPECT_EXIT(report(path("b")), testing::ExitedWithCode(0), "^0 listed, no error");
  EXPECT_EXIT(report(path("*")), testing::ExitedWithCode(0), "cannot list the folder: Permission denied");
}

TEST_F(File, ThatIsAFolderIsAbsent) {
  std::filesystem::create_directory(path("folder"));
  Bytes into(1);
  const Slice slice{0, into};
  EXPECT_EQ(storage.stat(path("folder")), std::nullopt);
  EXPECT_EQ(storage.read(path("folder"), {&slice, 1}, std::nullopt), ReadResult::absent);
  EXPECT_FALSE(storage.remove(path("folder")));
  EXPECT_THAT(storage.list(path("*")), IsEmpty());
  EXPECT_EQ(message_of([&] { put(storage, path("folder/"), ""); }),
            path("folder/") + ": is the name of a folder; write the name of a file");
}

TEST_F(File, BelowAFileIsAbsentAndCannotBeWritten) {
  put(storage, path("a"), "content");
  EXPECT_EQ(storage.stat(path("a/b")), std::nullopt);
  EXPECT_EQ(storage.latest(path("a/HEAD")), std::nullopt);
  EXPECT_EQ(message_of([&] { put(storage, path("a/b/c"), ""); }),
            path("a/b") + ": cannot make the folder: Not a directory");
}

TEST_F(File, ThatIsChangedInPlaceHasAnotherVersion) {
  const Version before = put(storage, path("a"), "0123456789").version;
  std::ofstream(path("a"), std::ios::app) << "more";
  Bytes into(4);
  const Slice slice{0, into};
  EXPECT_EQ(storage.read(path("a"), {&slice, 1}, before), ReadResult::changed);
}

TEST_F(File, IsWrittenWithTheRightsOfNewFiles) {
  const mode_t mask = ::umask(027);
  put(storage, path("a"), "content");
  storage.replace_if(path("HEAD"), std::nullopt, {});
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  ASSERT_EQ(::stat(path("HEAD.1").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(File, TakesTheNameOfNothingElse) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  put(storage, path("a"), "hello");
  std::filesystem::create_symlink(path("a"), path("link"));
  for (const char* name : {"pipe", "link"}) {
    try {
      storage.create(path(name), {});
      FAIL() << name;
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.what(),
                path(name) + ": is there and no regular file, so it is not replaced; write another name");
    }
  }
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(File, OfManyPiecesIsComplete) {
  Bytes content(20'000'003);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i % 251);
  const auto writer = storage.create(path("large"), {});
  for (std::size_t begin = 0; begin < content.size(); begin += 3'000'000) {
    writer->write(std::span(content).subspan(begin, std::min<std::size_t>(3'000'000, content.size() - begin)));
  }
  ASSERT_TRUE(writer->commit());
  Bytes read(content.size());
  EXPECT_EQ(storage.read(path("large"), std::vector<Slice>{{0, read}}, std::nullopt), ReadResult::complete);
  EXPECT_EQ(read, content);
}

TEST_F(File, WritersLeaveNothingBesideIt) {
  put(storage, path("a"), "content");
  storage.create(path("a"), {})->write(bytes_from("abandoned"));
  storage.create(path("a"), {.must_not_exist = true})->commit();
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(File, OfTheCompareAndSetIsTheHighestNumberAndTheOthersAreRemoved) {
  std::optional<Version> version;
  for (int i = 0; i < 12; ++i) version = storage.replace_if(path("HEAD"), version, {});
  EXPECT_THAT(names(), ElementsAre("HEAD.12"));
  EXPECT_EQ(version, Version{"12"});
  for (const char* name :
       {"HEAD.9", "HEAD.013", "HEAD.13x", "HEAD.", "HEAD.-14", "HEAD.99999999999999999999", "xHEAD.15"}) {
    std::ofstream(path(name)) << "something else";
  }
  EXPECT_EQ(storage.latest(path("HEAD")), (Latest{{}, {"12"}}));
}

TEST_F(File, OfTheCompareAndSetTakesItsOwnVersionsOnly) {
  EXPECT_EQ(message_of([&] { storage.replace_if(path("HEAD"), Version{"first"}, {}); }),
            path("HEAD") + ": \"first\" is not a version of a file; take it from latest()");
}

TEST_F(File, ListsGoRoundNoCircle) {
  put(storage, path("folder/a"), "content");
  std::filesystem::create_directory_symlink(folder.path(), path("folder/up"));
  std::filesystem::create_symlink("nowhere", path("folder/broken"));
  std::filesystem::create_symlink("a", path("folder/link"));
  const auto listed = storage.list(path("**"));
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].url, path("folder/a"));
  EXPECT_EQ(listed[1].url, path("folder/link"));
  EXPECT_EQ(storage.list(path("folder/up/folder/*")).size(), 2u);
}

TEST_F(File, SystemsWithoutHardLinksAreRefusedByName) {
  TemporaryFolder in_memory("/dev/shm");
  const std::string refused =
      in_memory.path() +
      " is on a file system \\(tmpfs\\) that has no hard links, without which two writers cannot be "
      "kept apart; use a local disk, NFS or gs://";
  const auto report = [&](const std::function<void()>& action) {
    forbid(SYS_link, SYS_linkat, EPERM);  // as the kernel answers on vfat
    std::cerr << message_of(action) << '\n';
    _exit(0);
  };
  EXPECT_EXIT(report([&] { storage.replace_if(in_memory.path() + "/HEAD", std::nullopt, {}); }),
              testing::ExitedWithCode(0), "^" + refused);
  EXPECT_EXIT(report([&] { storage.create(in_memory.path() + "/a", {.must_not_exist = true})->commit(); }),
              testing::ExitedWithCode(0), "^" + refused);
  EXPECT_EXIT(report([&] { put(storage, in_memory.path() + "/a", "content"); }), testing::ExitedWithCode(0),
              "^no error");
}

}  // namespace
}  // namespace carrack::data
