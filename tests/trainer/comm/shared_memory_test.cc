// What a process accepts of another one as the memory of a stream.
#include "trainer/comm/transport/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/comm/transport/shared_connection.h"
#include "trainer/comm/transport/shared_frames.h"

namespace carrack::train {
namespace {

constexpr int all_seals = F_SEAL_SHRINK | F_SEAL_GROW;

OpeningDeadline in_time() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(10);
}

class SharedMemoryOfAStream : public testing::Test {
 protected:
  SharedMemoryOfAStream() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    accepted = MemberSocket(ends[0]);
    opened = MemberSocket(ends[1]);
  }

  // Passes these descriptors as send() passes that of its memory, and returns why they are refused; empty if not.
  std::string why_refused(const std::vector<int>& descriptors) {
    char byte = 0;
    iovec content{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
      cmsghdr* passed = CMSG_FIRSTHDR(&message);
      passed->cmsg_level = SOL_SOCKET;
      passed->cmsg_type = SCM_RIGHTS;
      passed->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
      std::memcpy(CMSG_DATA(passed), descriptors.data(), descriptors.size() * sizeof(int));
    }
    EXPECT_EQ(sendmsg(accepted.descriptor(), &message, 0), 1);
    const auto received = SharedMemory::receive(opened, in_time());
    const auto* why = std::get_if<std::string>(&received);
    return why == nullptr ? "" : *why;
  }

  std::string why_refused(const MemberSocket& file) { return why_refused(std::vector{file.descriptor()}); }

  MemberSocket accepted{-1}, opened{-1};
};

MemberSocket new_memory(int seals, std::size_t size = SharedMemory::size) {
  MemberSocket memory(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ftruncate(memory.descriptor(), static_cast<off_t>(size)), 0);
  EXPECT_EQ(fcntl(memory.descriptor(), F_ADD_SEALS, seals), 0);
  return memory;
}

int open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

TEST_F(SharedMemoryOfAStream, IsSeenByBothSides) {
  const auto ours = SharedMemory::send(accepted);
  const auto theirs = SharedMemory::receive(opened, in_time());
  for (const StreamSide side : {StreamSide::accepted, StreamSide::opened}) {
    std::get<SharedMemory>(ours).side(side).beats.store(side == StreamSide::accepted ? 3 : 4);
    std::get<SharedMemory>(ours).ring(side).back() = std::byte{5};
  }
  const auto& memory = std::get<SharedMemory>(theirs);
  EXPECT_EQ(memory.side(StreamSide::accepted).beats.load(), 3u);
  EXPECT_EQ(memory.side(StreamSide::opened).beats.load(), 4u);
  for (const StreamSide side : {StreamSide::accepted, StreamSide::opened}) {
    EXPECT_EQ(memory.ring(side).front(), std::byte{0});
    EXPECT_EQ(memory.ring(side).back(), std::byte{5});
  }
}

// The worked bytes of docs/formats/wire.md.
TEST_F(SharedMemoryOfAStream, HasTheBytesThatItsFormatTells) {
  const auto ours = SharedMemory::send(accepted);
  const std::byte* base = std::get<SharedMemory>(ours).ring(StreamSide::accepted).data() - 0x1000;
  auto theirs = SharedMemory::receive(opened, in_time());
  SharedConnection connection(std::get<SharedMemory>(std::move(theirs)), std::move(opened), StreamSide::opened);
  wire::Message message;
  message.mutable_push()->set_timeline(4294967297);
  message.mutable_push()->set_batch(7);
  message.mutable_push()->set_first_lane(2);
  message.mutable_push()->set_lane_count(2);
  message.mutable_push()->set_records(3);
  FrameQueue frames;
  frames.push(message, Tail(Floats{-1, 0.5}));
  EXPECT_TRUE(frames.write(connection));
  const unsigned char written[] = {0x24, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(std::memcmp(base + 0x800, written, sizeof written), 0);
  const unsigned char frame[] = {0x10, 0, 0, 0, 0x08, 0, 0, 0, 0, 0, 0, 0, 0x62, 0x0e, 0x08, 0x81};
  EXPECT_EQ(std::memcmp(base + 0x201000, frame, sizeof frame), 0);
}

TEST_F(SharedMemoryOfAStream, LeavesNoDescriptor) {
  const int before = open_descriptors();
  const auto ours = SharedMemory::send(accepted);
  const auto theirs = SharedMemory::receive(opened, in_time());
  EXPECT_EQ(open_descriptors(), before);
}

std::string why_not_sent(const MemberSocket& connection) {
  const auto sent = SharedMemory::send(connection);
  const auto* why = std::get_if<std::string>(&sent);
  return why == nullptr ? "" : *why;
}

TEST_F(SharedMemoryOfAStream, IsNotSentToAProcessThatHasLeft) {
  opened = MemberSocket(-1);
  EXPECT_EQ(why_not_sent(accepted), "cannot pass shared memory: Broken pipe");
}

// As under `ulimit -f`. A trainer ignores the signal, too.
TEST_F(SharedMemoryOfAStream, IsNotMadeIfFilesMayNotBeAsLong) {
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto before = signal(SIGXFSZ, SIG_IGN);
  const rlimit lower{.rlim_cur = SharedMemory::size - 1, .rlim_max = usual.rlim_max};
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &lower), 0);
  EXPECT_EQ(why_not_sent(accepted), "cannot make shared memory: File too large");
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
  signal(SIGXFSZ, before);
  EXPECT_EQ(why_not_sent(accepted), "");
}

TEST_F(SharedMemoryOfAStream, MustBePassed) {
  EXPECT_EQ(why_refused(std::vector<int>{}), "it passed no memory");
  EXPECT_EQ(std::get<std::string>(SharedMemory::receive(opened, std::chrono::steady_clock::now())),
            "it passed no memory");
  accepted = MemberSocket(-1);
  EXPECT_EQ(std::get<std::string>(SharedMemory::receive(opened, in_time())), "it passed no memory");
}

TEST_F(SharedMemoryOfAStream, IsOneFile) {
  const MemberSocket memory = new_memory(all_seals);
  EXPECT_EQ(why_refused(memory), "");
  const int before = open_descriptors();
  EXPECT_EQ(why_refused({memory.descriptor(), memory.descriptor()}), "it passed several files");
  EXPECT_EQ(why_refused(std::vector<int>(8, memory.descriptor())), "it passed several files");
  EXPECT_EQ(open_descriptors(), before);
}

// Neither an ordinary file nor huge pages, which may be missing when they are touched.
TEST_F(SharedMemoryOfAStream, IsMemory) {
  EXPECT_EQ(why_refused(accepted), "it passed a file that is not memory");
  EXPECT_EQ(why_refused(MemberSocket(open("/proc/self/exe", O_RDONLY | O_CLOEXEC))),
            "it passed a file that is not memory");
  const MemberSocket huge(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
  ASSERT_GE(huge.descriptor(), 0);
  EXPECT_EQ(why_refused(huge), "it passed a file that is not memory");
}

TEST_F(SharedMemoryOfAStream, CannotBecomeSmaller) {
  for (const int missing : {0, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL})
    EXPECT_EQ(why_refused(new_memory(missing)), "it passed memory that may become smaller") << missing;
}

TEST_F(SharedMemoryOfAStream, HasOneSize) {
  for (const std::size_t size : {std::size_t{0}, SharedMemory::size - 1, SharedMemory::size + 1})
    EXPECT_EQ(why_refused(new_memory(all_seals, size)), "it passed memory of another size") << size;
}

TEST_F(SharedMemoryOfAStream, MayBeWritten) {
  EXPECT_EQ(why_refused(new_memory(all_seals | F_SEAL_WRITE)), "cannot map shared memory: Operation not permitted");
}

}  // namespace
}  // namespace carrack::train
