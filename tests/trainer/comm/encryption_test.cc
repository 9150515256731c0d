// Streams that are encrypted: when they count as open, and how they end without the other side's TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/mutex.h"
#include "tests/trainer/comm/grpc_sides.h"
#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/nonce.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;
using testing::AnyOf;
using testing::ElementsAre;

class Log {
 public:
  void add(const std::string& line) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> lines() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return lines_;
  }

 private:
  Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
};

// An endpoint, and what it logs.
struct LoggingSide : Side {
  explicit LoggingSide(bool encrypts, std::shared_ptr<Log> lines = std::make_shared<Log>())
      : Side([=](Inbox& to) {
          return std::make_unique<GrpcEndpoint>(to, Identity{the_key, the_start, "", encrypts}, generous,
                                                [lines](const std::string& line) { lines->add(line); });
        }),
        log(lines) {}

  const std::shared_ptr<Log> log;
};

struct Closing {
  std::string why;  // as the side that opened the stream has it
  std::vector<std::string> opener_logs, server_logs;
};

Closing closing_of_stream(bool opener_encrypts) {
  LoggingSide server(!opener_encrypts), opener(opener_encrypts);
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  opener.endpoint->send(opener.endpoint->connect(address, the_member), hello());
  const std::string why = opener.next<Closed>().why;
  EXPECT_FALSE(server.inbox.next(Clock::now())) << "its role hears nothing of it";
  return {why, opener.log->lines(), server.log->lines()};
}

TEST(Encryption, IsOfBothSidesOrThereIsNoStream) {
  const Closing by_opener = closing_of_stream(true);
  EXPECT_EQ(by_opener.why, "TLS with 127.0.0.1 failed: wrong version number");
  EXPECT_THAT(by_opener.opener_logs, ElementsAre("a connection was closed: " + by_opener.why));
  EXPECT_THAT(by_opener.server_logs, ElementsAre());
  const Closing by_server = closing_of_stream(false);
  // It has nothing of TLS: gRPC says what it saw first.
  EXPECT_THAT(by_server.why, AnyOf("Broken pipe", "Socket closed", "Transport closed", "Connection reset by peer"));
  EXPECT_THAT(by_server.opener_logs, ElementsAre());
  EXPECT_THAT(by_server.server_logs,
              ElementsAre("a connection was closed: TLS with 127.0.0.1 failed: wrong version number"));
}

// A member that proves who it is, and then says nothing.
class SilentMember {
 public:
  SilentMember() : listening_(listen_at("127.0.0.1:0")) {}
  const std::string& address() const { return listening_.address; }
  // Accepts one connection.
  MemberSocket accepted() const {
    EXPECT_TRUE(wait_until_readable(listening_.socket, Clock::now() + soon));
    MemberSocket socket(accept4(listening_.socket.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const AcceptedOpening opening(the_key->bytes(), {the_start, address()}, new_nonce());
    const auto deadline = Clock::now() + soon;
    Response response;
    EXPECT_TRUE(write_all(socket, opening.challenge(), deadline) && read_all(socket, response, deadline));
    const auto proven = opening.check(response);
    EXPECT_TRUE(proven && write_all(socket, proven->proof, deadline));
    return socket;
  }

 private:
  const Listening listening_;
};

// A coordinator counts for how long a server was not reached. It would never be long if each try counted as a stream.
TEST(Encryption, IsThereBeforeAStreamCountsAsOpen) {
  const SilentMember silent;
  Side member(with(generous, the_start, "", true));
  const PeerId peer = member.endpoint->connect(silent.address(), the_member);
  member.endpoint->send(peer, hello());
  const MemberSocket socket = silent.accepted();
  std::optional<Event> event;
  while (!event) {
    EXPECT_FALSE(member.endpoint->is_open(peer));
    event = member.inbox.next(Clock::now() + std::chrono::milliseconds(10));
  }
  EXPECT_EQ(std::get<Closed>(*event).why, "TLS with 127.0.0.1 failed: it is silent");
}

TEST(Encryption, IsNotWaitedForWithoutIt) {
  const SilentMember silent;
  Side member(with(generous));
  const PeerId peer = member.endpoint->connect(silent.address(), the_member);
  const MemberSocket socket = silent.accepted();
  const Clock::time_point deadline = Clock::now() + soon;
  while (!member.endpoint->is_open(peer)) ASSERT_LT(Clock::now(), deadline);
}

TEST(Encryption, EndsAStreamThatIsCancelledInItsHandshake) {
  const SilentMember silent;
  Side member(with(generous, the_start, "", true));
  const PeerId peer = member.endpoint->connect(silent.address(), the_member);
  const MemberSocket socket = silent.accepted();
  const Clock::time_point begin = Clock::now();
  member.endpoint->cancel(peer);
  member.next<Closed>();
  EXPECT_LT(Clock::now() - begin, opening_time_max / 2);
}

}  // namespace
}  // namespace carrack::train
