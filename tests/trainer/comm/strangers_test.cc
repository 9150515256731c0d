// What those who do not know the key can do to an endpoint, by plain sockets.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/contract/endpoint_contract.h"
#include "trainer/comm/transport/gate.h"
#include "trainer/comm/transport/grpc_endpoint.h"
#include "trainer/comm/transport/member_connection.h"
#include "trainer/comm/transport/nonce.h"
#include "trainer/comm/transport/stranger_log.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr FrameLimits megabytes{.control_bytes = std::size_t{1} << 20, .tail_bytes = std::size_t{4} << 20};
const auto the_key = std::make_shared<const Key>("the key of the tests, which is long enough");

class Strangers : public testing::Test {
 protected:
  NewEndpoint endpoint(const MemberStart& self = the_start) {
    return [this, self](Inbox& inbox) {
      return std::make_unique<GrpcEndpoint>(inbox, Identity{the_key, self}, EndpointLimits{megabytes, megabytes},
                                            [this](const std::string& line) {
                                              const MutexLock lock(mutex_);
                                              lines_.push_back(line);
                                            });
    };
  }
  std::vector<std::string> lines() {
    const MutexLock lock(mutex_);
    return lines_;
  }

  // Opens a stream until one is admitted, as a member does.
  static bool joins(Side& member, const std::string& address, Side& server) {
    for (const auto end = Clock::now() + soon; Clock::now() < end;) {
      const PeerId peer = member.endpoint->connect(address, the_member);
      member.endpoint->send(peer, hello(7));
      for (;;) {
        if (server.inbox.next(Clock::now() + std::chrono::milliseconds(10))) return true;
        if (member.inbox.next(Clock::now())) break;
      }
    }
    return false;
  }

 private:
  Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
};

OpeningDeadline in_time() {
  return Clock::now() + soon;
}

MemberSocket connected_to(const std::string& address) {
  data::Stop stop;
  auto connected = connect_to(address, stop);
  if (const auto* why = std::get_if<std::string>(&connected)) throw std::runtime_error(*why);
  return std::get<Connected>(std::move(connected)).socket;
}

// Whether the other side has ended the connection by then.
bool is_closed_by(const MemberSocket& socket, Clock::time_point deadline) {
  std::array<std::uint8_t, 256> ignored;
  while (Clock::now() < deadline) {
    const ssize_t size = recv(socket.descriptor(), ignored.data(), ignored.size(), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN)) return true;
    if (size < 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// As much of it as the other side takes.
std::size_t send_all_of(const MemberSocket& socket, const std::string& bytes, std::size_t total) {
  std::size_t sent = 0;
  while (sent < total && write_all(socket, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                                   Clock::now() + std::chrono::milliseconds(200))) {
    sent += bytes.size();
  }
  return sent;
}

TEST_F(Strangers, ArePromptlyEndedIfTheyDoNotKnowTheKey) {
  Side server(endpoint());
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  const MemberSocket socket = connected_to(address);
  Challenge challenge;
  ASSERT_TRUE(read_all(socket, challenge, in_time()));
  const std::string another = "a key that is not the one of the job";
  OpenedOpening opening({reinterpret_cast<const std::uint8_t*>(another.data()), another.size()}, the_start, the_member,
                        address, new_nonce());
  ASSERT_TRUE(write_all(socket, std::get<OpenedOpening::Answer>(opening.answer(challenge)).response, in_time()));
  Proof proof;
  EXPECT_FALSE(read_all(socket, proof, in_time())) << "not even a proof to work with";
  EXPECT_FALSE(server.inbox.next(Clock::now())) << "its role hears nothing of it";
  EXPECT_EQ(lines(),
            std::vector<std::string>{"a connection was closed: 127.0.0.1 did not prove that it knows the job's key"});
}

TEST_F(Strangers, CannotSendAResponseOfSomebodyElseAgain) {
  Side server(endpoint());
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  const auto answered = [&](const Response* recorded) {
    const MemberSocket socket = connected_to(address);
    Challenge challenge;
    EXPECT_TRUE(read_all(socket, challenge, in_time()));
    OpenedOpening opening(the_key->bytes(), the_start, the_member, address, new_nonce());
    const auto own = std::get<OpenedOpening::Answer>(opening.answer(challenge));
    EXPECT_TRUE(write_all(socket, recorded != nullptr ? *recorded : own.response, in_time()));
    Proof proof;
    return std::pair(own.response, read_all(socket, proof, in_time()) && own.is_proven_by(proof));
  };
  const auto [recorded, is_member] = answered(nullptr);
  EXPECT_TRUE(is_member);
  EXPECT_FALSE(answered(&recorded).second);
}

TEST_F(Strangers, AreEndedInTimeIfTheySayNothing) {
  Side server(endpoint());
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  const MemberSocket silent = connected_to(address), slow = connected_to(address);
  const Clock::time_point begin = Clock::now();
  const std::uint8_t one = 'c';
  ASSERT_TRUE(write_all(slow, {&one, 1}, in_time()));
  EXPECT_TRUE(is_closed_by(silent, begin + 2 * opening_time_max));
  EXPECT_TRUE(is_closed_by(slow, begin + 2 * opening_time_max));
  EXPECT_GE(Clock::now(), begin + opening_time_max - std::chrono::milliseconds(100));
}

// The opener's side of the same.
TEST_F(Strangers, AreLeftInTimeIfTheyListenAndSayNothing) {
  const Listening silent = listen_at("127.0.0.1:0");
  Side member(endpoint());
  const Clock::time_point begin = Clock::now();
  const PeerId peer = member.endpoint->connect(silent.address, the_member);
  const auto closed = member.inbox.next(begin + 2 * opening_time_max);
  ASSERT_TRUE(closed);
  EXPECT_EQ(std::get<Closed>(*closed).peer, peer);
  EXPECT_EQ(std::get<Closed>(*closed).why, "it ended the connection, or sent nothing");
}

MemberSocket accepted_by(const Listening& listening) {
  pollfd polled{listening.socket.descriptor(), POLLIN, 0};
  poll(&polled, 1, 10'000);
  return MemberSocket(accept(listening.socket.descriptor(), nullptr, nullptr));
}

// Accepts one connection, and answers as a member would, or nearly.
std::string end_of_connection_to(const MemberStart& self, const Key& key, const NewEndpoint& endpoint,
                                 const ExpectedMember& expected) {
  const Listening listening = listen_at("127.0.0.1:0");
  Side member(endpoint);
  member.endpoint->connect(listening.address, expected);
  const MemberSocket socket = accepted_by(listening);
  const AcceptedOpening opening(key.bytes(), {self, listening.address}, new_nonce());
  EXPECT_TRUE(write_all(socket, opening.challenge(), in_time()));
  Response response;
  if (read_all(socket, response, in_time())) {
    const auto proven = opening.check(response);
    const Proof proof = proven ? proven->proof : Proof{};
    EXPECT_TRUE(write_all(socket, proof, in_time()));
  }
  return member.next<Closed>().why;
}

// A member ends connections for reasons of its own, so no line is logged.
TEST_F(Strangers, AreNoMembersThatEndAConnectionBeforeTheirProof) {
  const Listening listening = listen_at("127.0.0.1:0");
  Side member(endpoint());
  member.endpoint->connect(listening.address, the_member);
  {
    const MemberSocket socket = accepted_by(listening);
    const AcceptedOpening opening(the_key->bytes(), {the_start, listening.address}, new_nonce());
    ASSERT_TRUE(write_all(socket, opening.challenge(), in_time()));
    Response response;
    ASSERT_TRUE(read_all(socket, response, in_time()));
  }
  EXPECT_EQ(member.next<Closed>().why, "it ended the connection before it proved that it knows the key");
  EXPECT_EQ(lines(), std::vector<std::string>{});
}

// Nothing of a Hello is sent to such a one: the connection is closed as soon as it has failed to prove itself.
TEST_F(Strangers, AreNotTakenForAMember) {
  const Key another("a key that is not the one of the job");
  EXPECT_EQ(end_of_connection_to(the_start, another, endpoint(), the_member),
            "it did not prove that it knows the job's key");
  EXPECT_EQ(lines().size(), 1u);
  const MemberStart before{the_start.member, {.attempt = 1, .incarnation = 3}};
  EXPECT_EQ(end_of_connection_to(before, *the_key, endpoint(), the_member),
            "it is worker 3 of attempt 1, incarnation 3, not worker 3 of attempt 1, incarnation 4 or later");
}

// Carries the messages of an opening from one connection to another and back.
void pass_on_opening(const MemberSocket& opened, const MemberSocket& accepted) {
  Challenge challenge;
  Response response;
  Proof proof;
  if (read_all(accepted, challenge, in_time()) && write_all(opened, challenge, in_time()) &&
      read_all(opened, response, in_time()) && write_all(accepted, response, in_time()) &&
      read_all(accepted, proof, in_time())) {
    write_all(opened, proof, in_time());
  }
}

// As a process could do that has the address which a member had before.
TEST_F(Strangers, CannotPassAnOpeningOnToTheAddressOfAMember) {
  Side server(endpoint()), member(endpoint());
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  const Listening between = listen_at("127.0.0.1:0");
  member.endpoint->connect(between.address, the_member);
  {
    const MemberSocket opened = accepted_by(between);
    pass_on_opening(opened, connected_to(address));
  }
  EXPECT_EQ(member.next<Closed>().why, "it ended the connection before it proved that it knows the key");
  EXPECT_EQ(lines(),
            std::vector<std::string>{"a connection was closed: 127.0.0.1 did not prove that it knows the job's key"});
}

// A Service, whose name members know, passes connections on to the coordinator.
TEST_F(Strangers, AreNotMembersThatOthersReachAtAnAddressOfTheirOwn) {
  const Listening service = listen_at("127.0.0.1:0");
  Side server([&](Inbox& inbox) {
    return std::make_unique<GrpcEndpoint>(inbox, Identity{the_key, the_start, service.address},
                                          EndpointLimits{megabytes, megabytes}, [](const std::string&) {});
  });
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  data::Stop stop;
  auto opened = std::async([&] {
    return open_connection(service.address, {the_key->bytes(), the_start}, the_member, stop);
  });
  const MemberSocket accepted = accepted_by(service);
  pass_on_opening(accepted, connected_to(address));
  EXPECT_TRUE(std::holds_alternative<ProvenConnection>(opened.get()));
}

// A start that was replaced may go on for a while, and knows the key.
TEST_F(Strangers, AreAlsoStartsBeforeTheNewestThatWasThere) {
  const MemberStart newer{the_start.member, {.attempt = 1, .incarnation = 6}};
  const MemberStart older{the_start.member, {.attempt = 1, .incarnation = 5}};
  Side member(endpoint()), first(endpoint(newer)), second(endpoint(older));
  member.endpoint->send(member.endpoint->connect(first.endpoint->listen("127.0.0.1:0"), the_member), hello(7));
  first.next<Arrived>();
  member.endpoint->connect(second.endpoint->listen("127.0.0.1:0"), the_member);
  EXPECT_EQ(member.next<Closed>().why,
            "it is worker 3 of attempt 1, incarnation 5, not worker 3 of attempt 1, incarnation 6 or later");
}

// Sanitizers use memory of their own for each byte.
TEST_F(Strangers, TakeNoMemoryHoweverMuchTheySend) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers use memory of their own for each byte";
#endif
  Side server(endpoint());
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  const std::string megabyte(std::size_t{1} << 20, 'x');
  const MemberSocket first = connected_to(address);
  send_all_of(first, megabyte, megabyte.size());
  ASSERT_TRUE(is_closed_by(first, in_time())) << "what is allocated once is there now";
  const std::size_t before = resident_bytes();
  std::vector<MemberSocket> sockets;
  for (int i = 0; i < 8; ++i) {
    sockets.push_back(connected_to(address));
    send_all_of(sockets.back(), megabyte, std::size_t{512} << 20);
  }
  EXPECT_LT(resident_bytes(), before + (std::size_t{1} << 20));
}

TEST_F(Strangers, DoNotKeepAMemberOutHoweverManyTheyAre) {
  Side server(endpoint());
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  std::promise<void> are_many;
  std::jthread strangers([&] {
    std::deque<MemberSocket> open;
    for (int i = 0; i < 10'000; ++i) {
      if (open.size() == 400) open.pop_front();
      open.push_back(connected_to(address));
      if (i == 1000) are_many.set_value();
    }
  });
  are_many.get_future().wait();
  for (int i = 0; i < 5; ++i) {
    Side member(endpoint());
    EXPECT_TRUE(joins(member, address, server));
  }
  strangers.join();
  EXPECT_LE(lines().size(), 2u) << "one line a minute";
}

TEST_F(Strangers, AreEndedTheOldestFirst) {
  Side server(endpoint());
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  const MemberSocket oldest = connected_to(address);
  Challenge challenge;
  ASSERT_TRUE(read_all(oldest, challenge, in_time()));
  std::vector<MemberSocket> others;
  for (std::size_t i = 0; i < Gate::strangers_max; ++i) {
    others.push_back(connected_to(address));
    ASSERT_TRUE(read_all(others.back(), challenge, in_time()));
  }
  EXPECT_TRUE(is_closed_by(oldest, Clock::now() + std::chrono::seconds(1)));
  EXPECT_FALSE(is_closed_by(others.front(), Clock::now() + std::chrono::milliseconds(50)));
}

TEST(StrangerLog, WritesALineAMinute) {
  std::vector<std::string> written;
  StrangerLog log([&](const std::string& line) { written.push_back(line); });
  const Clock::time_point begin{};
  log.note("a", begin);
  log.note("b", begin);
  log.note("c", begin + StrangerLog::pause - std::chrono::seconds(1));
  log.note("d", begin + StrangerLog::pause);
  log.note("e", begin + 2 * StrangerLog::pause);
  EXPECT_EQ(written, (std::vector<std::string>{"a connection was closed: a",
                                               "a connection was closed: d (and 2 more since the last line)",
                                               "a connection was closed: e"}));
}

}  // namespace
}  // namespace carrack::train
