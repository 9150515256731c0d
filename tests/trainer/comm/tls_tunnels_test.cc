// Connections that are encrypted.
#include "trainer/comm/transport/tls_tunnels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/trainer/comm/grpc_sides.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;
using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;

std::pair<MemberSocket, MemberSocket> new_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {MemberSocket(ends[0]), MemberSocket(ends[1])};
}

ConnectionSecret secret(std::uint8_t seed) {
  Proof proof{};
  proof.fill(seed);
  return secret_of_connection(the_key->bytes(), proof);
}

// What tunnels write.
struct Log {
  std::mutex mutex;
  std::vector<std::string> lines;
  StrangerLog log{[this](const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  }};
  std::vector<std::string> text() {
    const std::lock_guard lock(mutex);
    return lines;
  }
};

// Both ends of a connection, each in a tunnel.
struct Tunnelled {
  explicit Tunnelled(const ConnectionSecret& of_opened = secret(1), const ConnectionSecret& of_accepted = secret(1),
                     std::uint64_t records_per_key = TlsTunnels::key_records_max)
      : tunnels(log.log, records_per_key) {
    auto [left, right] = new_pair();
    opened = tunnels.new_tunnel(std::move(left), TlsSide::opened, of_opened);
    accepted = tunnels.new_tunnel(std::move(right), TlsSide::accepted, of_accepted);
  }

  Log log;
  TlsTunnels tunnels;
  std::optional<TunnelEnd> opened, accepted;
};

std::vector<std::uint8_t> some_bytes(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

bool has_ended(const MemberSocket& socket) {
  std::array<std::uint8_t, 1> byte{};
  return !read_all(socket, byte, Clock::now() + soon);
}

// Whether the other end is closed in time, whatever it has sent before.
bool ends(const MemberSocket& socket) {
  std::array<std::uint8_t, 1> byte{};
  const auto deadline = Clock::now() + soon;
  while (read_all(socket, byte, deadline)) continue;
  return Clock::now() < deadline;
}

// Both sides take another key after every few records in the second round, also while neither has room to write.
TEST(TlsTunnels, CarryBothWaysAtOnce) {
  for (const std::uint64_t records_per_key : {TlsTunnels::key_records_max, std::uint64_t{3}}) {
    Tunnelled tunnelled(secret(1), secret(1), records_per_key);
    const std::vector<std::uint8_t> sent = some_bytes(std::size_t{64} << 20);
    std::vector<std::uint8_t> at_opened(sent.size()), at_accepted(sent.size());
    const auto deadline = Clock::now() + soon;
    {
      const std::jthread one([&] { EXPECT_TRUE(write_all(tunnelled.opened->socket, sent, deadline)); });
      const std::jthread two([&] { EXPECT_TRUE(write_all(tunnelled.accepted->socket, sent, deadline)); });
      const std::jthread three([&] { EXPECT_TRUE(read_all(tunnelled.opened->socket, at_opened, deadline)); });
      EXPECT_TRUE(read_all(tunnelled.accepted->socket, at_accepted, deadline));
    }
    EXPECT_EQ(at_opened, sent);
    EXPECT_EQ(at_accepted, sent);
  }
}

// As a process does that ends with its last message.
TEST(TlsTunnels, SendWhatWasWrittenBeforeTheyEnd) {
  Tunnelled tunnelled;
  const std::vector<std::uint8_t> sent = some_bytes(500'000);
  std::jthread writer([&] {
    EXPECT_TRUE(write_all(tunnelled.accepted->socket, sent, Clock::now() + soon));
    tunnelled.accepted.reset();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // It is closed, or the tunnel is full.
  std::vector<std::uint8_t> received(sent.size());
  EXPECT_TRUE(read_all(tunnelled.opened->socket, received, Clock::now() + soon));
  EXPECT_EQ(received, sent);
  EXPECT_TRUE(has_ended(tunnelled.opened->socket));
}

// As before a process that was stopped, with a socket that has no time limit of its own.
TEST(TlsTunnels, WaitForNobodyWhoDoesNotRead) {
  for (const bool has_shaken_hands : {true, false}) {
    Log log;
    auto [one, two] = new_pair();
    std::optional<Tunnelled> other;
    const Clock::time_point begin = Clock::now();
    {
      TlsTunnels tunnels(log.log);
      auto socket = tunnels.new_tunnel(std::move(one), TlsSide::opened, secret(1));
      if (has_shaken_hands) {
        // Its gRPC reads nothing, so it is full soon.
        other.emplace();
        other->accepted = other->tunnels.new_tunnel(std::move(two), TlsSide::accepted, secret(1));
      }
      EXPECT_FALSE(
          write_all(socket->socket, some_bytes(std::size_t{16} << 20), Clock::now() + std::chrono::milliseconds(300)));
      socket.reset();
    }
    EXPECT_LT(Clock::now() - begin, flush_time_max + std::chrono::seconds(2));
  }
}

TEST(TlsTunnels, EndIfTheSecretsDiffer) {
  Tunnelled tunnelled(secret(1), secret(2));
  EXPECT_TRUE(has_ended(tunnelled.opened->socket));
  EXPECT_TRUE(has_ended(tunnelled.accepted->socket));
  const std::string of_accepted = tunnelled.accepted->handshake.get();
  EXPECT_EQ(of_accepted, "TLS with this machine failed: binder does not verify");
  const std::string of_opened = tunnelled.opened->handshake.get();
  EXPECT_THAT(of_opened, AnyOf("TLS with this machine failed: tlsv1 alert decrypt error",
                               "TLS with this machine failed: sslv3 alert illegal parameter"));
  EXPECT_THAT(tunnelled.log.text(),
              ElementsAre(AnyOf("a connection was closed: " + of_accepted, "a connection was closed: " + of_opened)));
}

TEST(TlsTunnels, EndIfTheOtherSideSpeaksNoTls) {
  for (const TlsSide side : {TlsSide::opened, TlsSide::accepted}) {
    Log log;
    TlsTunnels tunnels(log.log);
    auto [tunnelled, other] = new_pair();
    const auto end = tunnels.new_tunnel(std::move(tunnelled), side, secret(1));
    ASSERT_TRUE(write_all(other, some_bytes(1000), Clock::now() + soon));
    EXPECT_TRUE(has_ended(end->socket));
    EXPECT_EQ(end->handshake.get(), "TLS with this machine failed: wrong version number");
    EXPECT_THAT(log.text(), ElementsAre("a connection was closed: TLS with this machine failed: wrong version number"));
  }
}

// However long each byte takes: the time is that of all of them.
TEST(TlsTunnels, EndInTimeIfTheOtherSideIsSilentOrSlow) {
  Log log;
  TlsTunnels tunnels(log.log);
  auto [one, silent] = new_pair();
  auto [two, slow] = new_pair();
  const Clock::time_point begin = Clock::now();
  const auto of_silent = tunnels.new_tunnel(std::move(one), TlsSide::accepted, secret(1));
  const auto of_slow = tunnels.new_tunnel(std::move(two), TlsSide::opened, secret(1));
  std::vector<std::uint8_t> record(1000);
  std::ranges::copy(std::to_array<std::uint8_t>({22, 3, 3, 3, 0xe3, 2}), record.begin());
  for (const std::uint8_t byte : record) {
    if (of_slow->handshake.wait_for(std::chrono::milliseconds(100)) == std::future_status::ready) break;
    write_all(slow, {&byte, 1}, Clock::now() + soon);
  }
  for (const auto* end : {&of_silent, &of_slow}) {
    EXPECT_EQ((*end)->handshake.get(), "TLS with this machine failed: it is silent");
    EXPECT_TRUE(has_ended((*end)->socket));
  }
  EXPECT_LT(Clock::now() - begin, opening_time_max + std::chrono::seconds(2));
  EXPECT_THAT(log.text(), ElementsAre("a connection was closed: TLS with this machine failed: it is silent"));
}

// As an endpoint does that ends a stream.
TEST(TlsTunnels, FailAtNothingIfTheyAreClosedHere) {
  Log log;
  TlsTunnels tunnels(log.log);
  auto [tunnelled, other] = new_pair();
  auto end = tunnels.new_tunnel(std::move(tunnelled), TlsSide::opened, secret(1));
  const auto handshake = end->handshake;
  end.reset();
  EXPECT_EQ(handshake.get(), "it was closed here");
  EXPECT_TRUE(ends(other));
  EXPECT_THAT(log.text(), IsEmpty());
}

// TLS of others, over one end of a connection. Returns whether the handshake succeeds.
bool shakes_hands(SSL_CTX* context, const MemberSocket& socket, bool as_server) {
  SSL* session = SSL_new(context);
  SSL_set_fd(session, socket.descriptor());
  as_server ? SSL_set_accept_state(session) : SSL_set_connect_state(session);
  int result = 0;
  while ((result = SSL_do_handshake(session)) != 1 && SSL_get_error(session, result) == SSL_ERROR_WANT_READ) {
    pollfd waited{socket.descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&waited, 1, 10'000), 1);
  }
  SSL_free(session);
  return result == 1;
}

// A certificate does not stand in for the secret, whosever it is.
TEST(TlsTunnels, EndIfTheOtherSideHasACertificateInstead) {
  Log log;
  TlsTunnels tunnels(log.log);
  auto [tunnelled, other] = new_pair();
  const auto socket = tunnels.new_tunnel(std::move(tunnelled), TlsSide::opened, secret(1));
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  ASSERT_GT(X509_sign(certificate, key, EVP_sha256()), 0);
  ASSERT_EQ(SSL_CTX_use_certificate(context, certificate), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey(context, key), 1);
  EXPECT_FALSE(shakes_hands(context, other, true));
  EXPECT_TRUE(has_ended(socket->socket));
  X509_free(certificate);
  EVP_PKEY_free(key);
  SSL_CTX_free(context);
}

TEST(TlsTunnels, EndIfTheOtherSideHasNoSecret) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Log log;
    TlsTunnels tunnels(log.log);
    auto [tunnelled, other] = new_pair();
    const auto socket = tunnels.new_tunnel(std::move(tunnelled), TlsSide::accepted, secret(1));
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(context, version);
    EXPECT_FALSE(shakes_hands(context, other, false));
    EXPECT_TRUE(has_ended(socket->socket));
    SSL_CTX_free(context);
  }
}

// Two tunnels over a connection that passes through this.
class Relayed {
 public:
  explicit Relayed(std::uint64_t records_per_key = TlsTunnels::key_records_max) : tunnels_(log_.log, records_per_key) {
    auto [one, two] = new_pair();
    auto [three, four] = new_pair();
    opened = tunnels_.new_tunnel(std::move(one), TlsSide::opened, secret(1));
    accepted = tunnels_.new_tunnel(std::move(four), TlsSide::accepted, secret(1));
    relay_ = std::jthread([this, left = std::move(two), right = std::move(three)](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        carry(left, right);
        carry(right, left);
      }
    });
  }

  // Closes the connection. Returns what has passed.
  std::vector<std::uint8_t> stop() {
    relay_ = {};
    return passed_;
  }

 private:
  void carry(const MemberSocket& from, const MemberSocket& to) {
    std::array<std::uint8_t, 65536> bytes{};
    const ssize_t size = recv(from.descriptor(), bytes.data(), bytes.size(), 0);
    if (size <= 0) return;
    const std::span<const std::uint8_t> received = std::span(bytes).first(static_cast<std::size_t>(size));
    passed_.insert(passed_.end(), received.begin(), received.end());
    write_all(to, received, Clock::now() + soon);
  }

  Log log_;
  TlsTunnels tunnels_;
  std::vector<std::uint8_t> passed_;

 public:
  std::optional<TunnelEnd> opened, accepted;

 private:
  std::jthread relay_;
};

bool holds(const std::vector<std::uint8_t>& bytes, std::span<const std::uint8_t> searched) {
  return !std::ranges::search(bytes, searched).empty();
}

TEST(TlsTunnels, EndIfTheConnectionDoes) {
  Relayed relayed;
  std::array<std::uint8_t, 1> byte{7};
  EXPECT_TRUE(write_all(relayed.opened->socket, byte, Clock::now() + soon));
  EXPECT_TRUE(read_all(relayed.accepted->socket, byte, Clock::now() + soon));
  relayed.stop();
  EXPECT_TRUE(has_ended(relayed.opened->socket));
  EXPECT_TRUE(has_ended(relayed.accepted->socket));
}

// The record of a new key is the only one of 22 bytes.
TEST(TlsTunnels, TakeAnotherKeyInTime) {
  constexpr std::array<std::uint8_t, 5> record_of_key{23, 3, 3, 0, 22};
  for (const std::uint64_t records_per_key : {std::uint64_t{64}, TlsTunnels::key_records_max}) {
    Relayed relayed(records_per_key);
    const std::vector<std::uint8_t> sent = some_bytes(std::size_t{4} << 20);
    std::vector<std::uint8_t> received(sent.size());
    const auto deadline = Clock::now() + soon;
    std::jthread writer([&] { EXPECT_TRUE(write_all(relayed.opened->socket, sent, deadline)); });
    EXPECT_TRUE(read_all(relayed.accepted->socket, received, deadline));
    writer.join();
    EXPECT_EQ(received, sent);
    const std::vector<std::uint8_t> passed = relayed.stop();
    EXPECT_EQ(holds(passed, record_of_key), records_per_key != TlsTunnels::key_records_max);
    EXPECT_FALSE(holds(passed, std::span(sent).first(16))) << "it is encrypted";
  }
}

}  // namespace
}  // namespace carrack::train
