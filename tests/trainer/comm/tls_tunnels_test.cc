// Connections that are encrypted.
#include "trainer/comm/transport/tls_tunnels.h"

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

// Both ends of a connection, each in a tunnel.
struct Tunnelled {
  explicit Tunnelled(const ConnectionSecret& of_opened = secret(1), const ConnectionSecret& of_accepted = secret(1)) {
    auto [left, right] = new_pair();
    opened = tunnels.new_tunnel(std::move(left), TlsSide::opened, of_opened);
    accepted = tunnels.new_tunnel(std::move(right), TlsSide::accepted, of_accepted);
  }

  TlsTunnels tunnels;
  std::optional<MemberSocket> opened, accepted;
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

TEST(TlsTunnels, CarryBothWaysAtOnce) {
  Tunnelled tunnelled;
  const std::vector<std::uint8_t> sent = some_bytes(std::size_t{10} << 20);
  std::vector<std::uint8_t> at_opened(sent.size()), at_accepted(sent.size());
  const auto deadline = Clock::now() + soon;
  {
    const std::jthread one([&] { EXPECT_TRUE(write_all(*tunnelled.opened, sent, deadline)); });
    const std::jthread two([&] { EXPECT_TRUE(write_all(*tunnelled.accepted, sent, deadline)); });
    const std::jthread three([&] { EXPECT_TRUE(read_all(*tunnelled.opened, at_opened, deadline)); });
    EXPECT_TRUE(read_all(*tunnelled.accepted, at_accepted, deadline));
  }
  EXPECT_EQ(at_opened, sent);
  EXPECT_EQ(at_accepted, sent);
}

// As a process does that ends with its last message.
TEST(TlsTunnels, SendWhatWasWrittenBeforeTheyEnd) {
  Tunnelled tunnelled;
  const std::vector<std::uint8_t> sent = some_bytes(100'000);
  ASSERT_TRUE(write_all(*tunnelled.accepted, sent, Clock::now() + soon));
  tunnelled.accepted.reset();
  std::vector<std::uint8_t> received(sent.size());
  EXPECT_TRUE(read_all(*tunnelled.opened, received, Clock::now() + soon));
  EXPECT_EQ(received, sent);
  EXPECT_TRUE(has_ended(*tunnelled.opened));
}

TEST(TlsTunnels, EndIfTheSecretsDiffer) {
  const Tunnelled tunnelled(secret(1), secret(2));
  EXPECT_TRUE(has_ended(*tunnelled.opened));
  EXPECT_TRUE(has_ended(*tunnelled.accepted));
}

TEST(TlsTunnels, EndIfTheOtherSideSpeaksNoTls) {
  for (const TlsSide side : {TlsSide::opened, TlsSide::accepted}) {
    TlsTunnels tunnels;
    auto [tunnelled, other] = new_pair();
    const auto socket = tunnels.new_tunnel(std::move(tunnelled), side, secret(1));
    ASSERT_TRUE(write_all(other, some_bytes(1000), Clock::now() + soon));
    EXPECT_TRUE(has_ended(*socket));
  }
}

// Whose key it is does not matter: a certificate does not stand in for the secret.
TEST(TlsTunnels, EndIfTheOtherSideHasACertificateInstead) {
  TlsTunnels tunnels;
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
  SSL* session = SSL_new(context);
  SSL_set_fd(session, other.descriptor());
  int result = 0;
  while ((result = SSL_accept(session)) != 1 && SSL_get_error(session, result) == SSL_ERROR_WANT_READ) {
    pollfd waited{other.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&waited, 1, 10'000), 1);
  }
  EXPECT_NE(result, 1);
  EXPECT_TRUE(has_ended(*socket));
  SSL_free(session);
  X509_free(certificate);
  EVP_PKEY_free(key);
  SSL_CTX_free(context);
}

// Two tunnels over a connection that passes through this.
class Relayed {
 public:
  explicit Relayed(std::uint64_t bytes_per_key = TlsTunnels::key_bytes_max) : tunnels_(bytes_per_key) {
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

  TlsTunnels tunnels_;
  std::vector<std::uint8_t> passed_;

 public:
  std::optional<MemberSocket> opened, accepted;

 private:
  std::jthread relay_;
};

bool holds(const std::vector<std::uint8_t>& bytes, std::span<const std::uint8_t> searched) {
  return !std::ranges::search(bytes, searched).empty();
}

TEST(TlsTunnels, EndIfTheConnectionDoes) {
  Relayed relayed;
  std::array<std::uint8_t, 1> byte{7};
  EXPECT_TRUE(write_all(*relayed.opened, byte, Clock::now() + soon));
  EXPECT_TRUE(read_all(*relayed.accepted, byte, Clock::now() + soon));
  relayed.stop();
  EXPECT_TRUE(has_ended(*relayed.opened));
  EXPECT_TRUE(has_ended(*relayed.accepted));
}

// The record of a new key is the only one of 22 bytes.
TEST(TlsTunnels, TakeAnotherKeyInTime) {
  constexpr std::array<std::uint8_t, 5> record_of_key{23, 3, 3, 0, 22};
  for (const std::uint64_t bytes_per_key : {std::uint64_t{1} << 20, TlsTunnels::key_bytes_max}) {
    Relayed relayed(bytes_per_key);
    const std::vector<std::uint8_t> sent = some_bytes(std::size_t{4} << 20);
    std::vector<std::uint8_t> received(sent.size());
    const auto deadline = Clock::now() + soon;
    std::jthread writer([&] { EXPECT_TRUE(write_all(*relayed.opened, sent, deadline)); });
    EXPECT_TRUE(read_all(*relayed.accepted, received, deadline));
    writer.join();
    EXPECT_EQ(received, sent);
    const std::vector<std::uint8_t> passed = relayed.stop();
    EXPECT_EQ(holds(passed, record_of_key), bytes_per_key != TlsTunnels::key_bytes_max);
    EXPECT_FALSE(holds(passed, std::span(sent).first(16))) << "it is encrypted";
  }
}

std::string why_closed(bool opener_encrypts) {
  Side server(with(generous, the_start, "", !opener_encrypts)), client(with(generous, the_start, "", opener_encrypts));
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  client.endpoint->send(client.endpoint->connect(address, the_member), hello());
  return client.next<Closed>().why;
}

TEST(Encryption, IsOfBothSidesOrThereIsNoStream) {
  EXPECT_NE(why_closed(true), "");
  EXPECT_NE(why_closed(false), "");
}

}  // namespace
}  // namespace carrack::train
