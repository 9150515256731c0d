// What a member that knows the job's key, but does not follow the protocol of shared memory, can do to an endpoint; and
// members that were stopped or killed.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/contract/endpoint_contract.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "trainer/comm/transport/member_connection.h"
#include "trainer/comm/transport/shared_frames.h"
#include "trainer/comm/transport/shared_memory_endpoint.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr FrameLimits megabytes{.control_bytes = std::size_t{1} << 20, .tail_bytes = std::size_t{64} << 20};
constexpr const char* broken_protocol = "it does not follow the protocol of the stream";
constexpr const char* left = "the other side ended it";

std::shared_ptr<const Key> the_key() {
  return std::make_shared<const Key>("the key of the tests, which is long enough");
}

std::unique_ptr<Endpoint> new_endpoint(Inbox& inbox) {
  return std::make_unique<SharedMemoryEndpoint>(inbox, Identity{the_key(), the_start},
                                                EndpointLimits{megabytes, megabytes}, [](const std::string&) {});
}

std::string new_address() {
  static const data::TemporaryFolder folder;
  static int number = 0;
  return "shm:" + folder.path() + "/" + std::to_string(++number);
}

using Connection = std::shared_ptr<SharedConnection>;

// Opens a stream as a member does, and leaves it to the test to follow the protocol from then on. `ring` is set to the
// memory that it writes.
Connection connection_to(const std::string& address, std::span<std::byte>* ring = nullptr) {
  data::Stop stop;
  const auto key = the_key();
  auto opened = open_connection(address, {key->bytes(), the_start}, the_member, stop);
  MemberSocket& socket = std::get<ProvenConnection>(opened).socket;
  auto memory = SharedMemory::receive(socket, Clock::now() + soon);
  if (ring != nullptr) *ring = std::get<SharedMemory>(memory).ring(StreamSide::opened);
  return std::make_shared<SharedConnection>(std::get<SharedMemory>(std::move(memory)), std::move(socket),
                                            StreamSide::opened);
}

void send(SharedConnection& to, const wire::Message& message, Tail tail = {}) {
  FrameQueue frames;
  frames.push(message, std::move(tail));
  EXPECT_TRUE(frames.write(to));
  EXPECT_TRUE(frames.is_empty());
}

void send_bytes(SharedConnection& to, const std::string& bytes) {
  EXPECT_EQ(to.writer().write(std::as_bytes(std::span(bytes))), bytes.size());
  to.writer().publish();
  to.wake();
}

Tail tail_of(std::size_t floats, float value = 1.5f) {
  const auto values = std::make_shared<const Floats>(floats, value);
  return {values, *values};
}

class SharedPeer : public testing::Test {
 protected:
  // Says Hello, and returns the stream as the server has it.
  PeerId join(SharedConnection& from) {
    send(from, hello());
    return server.next<Arrived>().from;
  }

  Side server{new_endpoint};
  const std::string address = server.endpoint->listen(new_address());
  std::span<std::byte> ring;  // of the peer
  const Connection peer = connection_to(address, &ring);
  const PeerId id = join(*peer);
};

// A byte is copied once, into the ring, by its sender: a role sees what is there when it uses it.
TEST_F(SharedPeer, SeesItsValuesUsedWhereItHasWrittenThem) {
  send(*peer, want(1), tail_of(1000));
  const Arrived arrived = server.next<Arrived>();
  Floats values(1000);
  arrived.part.piece.copy(0, values);
  EXPECT_EQ(values, Floats(1000, 1.5f));
  std::ranges::fill(ring, std::byte{0});
  arrived.part.piece.copy(0, values);
  EXPECT_EQ(values, Floats(1000, 0.0f));
}

TEST_F(SharedPeer, IsLeftIfItSaysThatItHasWrittenWhatItCannotHave) {
  peer->own().written.store(SharedMemory::ring_bytes * 2);
  peer->wake();
  EXPECT_EQ(server.next<Closed>().why, broken_protocol);
  EXPECT_FALSE(peer->take_wakes()) << "the connection has ended";
}

TEST_F(SharedPeer, IsLeftIfItSaysThatItHasWrittenLessThanBefore) {
  peer->own().written.store(1);
  peer->wake();
  EXPECT_EQ(server.next<Closed>().why, broken_protocol);
}

TEST_F(SharedPeer, IsLeftIfItReleasesWhatWasNotWritten) {
  peer->own().released.store(1);
  server.endpoint->send(id, want(1));
  EXPECT_EQ(server.next<Closed>().why, broken_protocol);
}

TEST_F(SharedPeer, IsLeftIfItSendsNoFrame) {
  for (const std::string& bytes :
       {std::string("\x00\x00\x00\x7f\x00\x00\x00\x00\x00\x00\x00\x00", 12),  // a control part of 2 GiB
        std::string("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f", 12),  // a tail of petabytes
        std::string("\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00", 12),  // a tail of three bytes
        std::string("\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff", 16)}) {  // no message
    const auto another = connection_to(address);
    join(*another);
    send_bytes(*another, bytes);
    EXPECT_EQ(server.next<Closed>().why, broken_protocol);
  }
}

// The rest of a frame may never come.
TEST_F(SharedPeer, MayLeaveWithinAFrame) {
  send_bytes(*peer, std::string("\x04\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\xff", 13));
  EXPECT_FALSE(server.inbox.next(Clock::now() + std::chrono::milliseconds(100)));
  peer->own().closed.store(1);
  peer->end();
  EXPECT_EQ(server.next<Closed>().why, left);
}

// What it says beside its frames harms only itself.
TEST_F(SharedPeer, MayWriteAnyOtherNumbers) {
  peer->own().waits.store(~std::uint64_t{0});
  peer->own().closed.store(~std::uint64_t{0});
  peer->own().beats.store(~std::uint64_t{0});
  send(*peer, want(7));
  EXPECT_EQ(server.next<Arrived>().part.message->want().version(), 7u);
  for (int i = 0; i < 1000; ++i) peer->wake();
  send(*peer, want(8));
  EXPECT_EQ(server.next<Arrived>().part.message->want().version(), 8u);
}

int open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

TEST_F(SharedPeer, PassesNoDescriptorsLater) {
  const int before = open_descriptors();
  const int passed = peer->descriptor();
  for (int i = 0; i < 10; ++i) {
    char byte = 0;
    iovec content{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)] = {};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(rights), &passed, sizeof passed);
    EXPECT_EQ(sendmsg(passed, &message, 0), 1);
  }
  for (std::uint64_t i = 0; i < 10; ++i) {
    send(*peer, want(i));
    EXPECT_EQ(server.next<Arrived>().part.message->want().version(), i);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(SharedPeer, IsLeftForAnyBytesOrSendsFrames) {
  std::mt19937 random(1);
  int left_for_them = 0;
  for (int i = 0; i < 300; ++i) {
    const auto another = connection_to(address);
    const PeerId its_id = join(*another);
    std::string bytes = head_of(want(7), 8) + std::string(8, '\1');
    bytes += bytes;
    for (auto changes = random() % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random() % 2 == 0 ? random() : 0);
    send_bytes(*another, bytes);
    another->own().closed.store(1);
    another->end();
    while (true) {
      const std::optional<Event> event = server.inbox.next(Clock::now() + soon);
      ASSERT_TRUE(event);
      if (const auto* closed = std::get_if<Closed>(&*event)) {
        EXPECT_EQ(closed->peer, its_id);
        left_for_them += closed->why == broken_protocol;
        break;
      }
    }
  }
  EXPECT_GT(left_for_them, 30);
  EXPECT_LT(left_for_them, 270);
}

// One that was stopped does nothing more, and its connection stays. It may hold all of the ring.
TEST_F(SharedPeer, IsLeftIfItSaysNothing) {
  const Clock::time_point begin = Clock::now();
  server.endpoint->send(id, want(1), tail_of(2 * SharedMemory::ring_bytes / sizeof(float)));
  EXPECT_EQ(server.next<Closed>().why, "it has not answered for 5 s");
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(answer_time_max_ms - 1000));
}

TEST(SlowSharedPeer, IsNotLeft) {
  Side server(new_endpoint), client(new_endpoint);
  const PeerId to_server = client.endpoint->connect(server.endpoint->listen(new_address()), the_member);
  client.endpoint->send(to_server, hello());
  const PeerId to_client = server.next<Arrived>().from;
  constexpr std::size_t floats = 2 * SharedMemory::ring_bytes / sizeof(float);
  client.endpoint->send(to_server, want(1), tail_of(floats));
  server.endpoint->send(to_client, want(2), tail_of(floats));
  std::this_thread::sleep_for(std::chrono::seconds(8));
  EXPECT_EQ(server.next_frame().message->want().version(), 1u);
  EXPECT_EQ(client.next_frame().message->want().version(), 2u);
}

// A process that opens a stream to this address, says Hello, and handles nothing. To be made before the first thread of
// this process.
class Process {
 public:
  explicit Process(const std::string& address) {
    EXPECT_EQ(pipe(ends_), 0);
    pid_ = fork();
    if (pid_ == 0) run(address);
  }
  ~Process() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (const int end : ends_) close(end);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // It opens the stream then.
  void start() const { EXPECT_EQ(write(ends_[1], "s", 1), 1); }
  void signal(int number) const { kill(pid_, number); }

 private:
  [[noreturn]] void run(const std::string& address) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char byte = 0;
    if (read(ends_[0], &byte, 1) != 1) _exit(1);
    const Side side(new_endpoint);
    const PeerId peer = side.endpoint->connect(address, the_member);
    side.endpoint->send(peer, hello());
    side.endpoint->send(peer, want(1), tail_of(4 * SharedMemory::ring_bytes / sizeof(float)));
    while (true) pause();
  }

  int ends_[2];
  pid_t pid_;
};

// What it has in the ring, and what this process holds of that, keeps no stream.
void expect_end_after(int signal, const std::string& why) {
  const std::string address = new_address();
  const Process process(address);
  Side server(new_endpoint);
  server.endpoint->listen(address);
  process.start();
  const PeerId id = server.next<Arrived>().from;
  const Arrived in_use = server.next<Arrived>();
  server.endpoint->send(id, want(2), tail_of(4 * SharedMemory::ring_bytes / sizeof(float)));
  process.signal(signal);
  std::string closed;
  while (closed.empty()) {
    std::optional<Event> event = server.inbox.next(Clock::now() + std::chrono::seconds(15));
    ASSERT_TRUE(event);
    if (const auto* end = std::get_if<Closed>(&*event)) closed = end->why;
  }
  EXPECT_EQ(closed, why);
  Floats values(in_use.part.piece.end());
  in_use.part.piece.copy(0, values);
  EXPECT_EQ(values.back(), 1.5f);
}

TEST(SharedPeerProcess, IsLeftOnceItIsKilled) {
  expect_end_after(SIGKILL, left);
}

TEST(SharedPeerProcess, IsLeftSomeSecondsAfterItWasStopped) {
  expect_end_after(SIGSTOP, "it has not answered for 5 s");
}

}  // namespace
}  // namespace carrack::train
