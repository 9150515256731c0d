#include "trainer/comm/transport/tls_tunnels.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/http/tls.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

struct SessionDeleter {
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};
using Secret = std::unique_ptr<SSL_SESSION, SessionDeleter>;  // OpenSSL wants it as a session that is resumed

// The one cipher suite; the hash of the secret is its own.
constexpr const char* cipher_suite = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> cipher_id{0x13, 0x01};

// Both sides have one secret for each connection, so its name says nothing.
constexpr std::string_view secret_name = "carrack";

// The most that a tunnel holds of each direction.
constexpr std::size_t held_bytes = std::size_t{128} << 10;

const ConnectionSecret& secret_of(SSL* ssl) {
  return *static_cast<const ConnectionSecret*>(SSL_get_app_data(ssl));
}

// Null if there is no memory for it.
Secret session_with(SSL* ssl) {
  Secret session(SSL_SESSION_new());
  const ConnectionSecret& secret = secret_of(ssl);
  const SSL_CIPHER* cipher = SSL_CIPHER_find(ssl, cipher_id.data());
  const bool is_set = session && cipher &&
                      SSL_SESSION_set1_master_key(session.get(), secret.data(), secret.size()) == 1 &&
                      SSL_SESSION_set_cipher(session.get(), cipher) == 1 &&
                      SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
  return is_set ? std::move(session) : nullptr;
}

int use_secret(SSL* ssl, const EVP_MD*, const unsigned char** name, std::size_t* name_size, SSL_SESSION** session) {
  *name = reinterpret_cast<const unsigned char*>(secret_name.data());
  *name_size = secret_name.size();
  *session = session_with(ssl).release();
  return *session != nullptr;
}

int find_secret(SSL* ssl, const unsigned char* name, std::size_t name_size, SSL_SESSION** session) {
  *session = nullptr;
  if (std::string_view(reinterpret_cast<const char*>(name), name_size) != secret_name) return 1;
  *session = session_with(ssl).release();
  return *session != nullptr;
}

// Lets nothing through but TLS 1.3 under the secret: there is no certificate that could stand in for it.
data::TlsContext new_context(TlsSide side) {
  data::TlsContext context(SSL_CTX_new(TLS_method()));
  CHECK(context);
  CHECK_EQ(SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION), 1);
  CHECK_EQ(SSL_CTX_set_ciphersuites(context.get(), cipher_suite), 1);
  CHECK_EQ(SSL_CTX_set_num_tickets(context.get(), 0), 1);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (side == TlsSide::opened) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_psk_use_session_callback(context.get(), use_secret);
  } else {
    SSL_CTX_set_psk_find_session_callback(context.get(), find_secret);
  }
  return context;
}

SSL_CTX* context_of(TlsSide side) {
  static const auto& opened = *new data::TlsContext(new_context(TlsSide::opened));
  static const auto& accepted = *new data::TlsContext(new_context(TlsSide::accepted));
  return (side == TlsSide::opened ? opened : accepted).get();
}

// Bytes on their way in one direction.
class Held {
 public:
  bool is_empty() const { return begin_ == end_; }
  std::span<const std::byte> bytes() const { return std::span(memory_).subspan(begin_, end_ - begin_); }
  std::span<std::byte> space() { return memory_; }  // of an empty one
  void set(std::size_t size) { begin_ = 0, end_ = size; }
  void drop(std::size_t size) { begin_ += size; }

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(held_bytes);
  std::size_t begin_ = 0, end_ = 0;
};

// Carries between gRPC and the other member until one of them has ended.
class Carrier {
 public:
  Carrier(MemberSocket local, MemberSocket connection, TlsSide side, const ConnectionSecret& secret,
          std::uint64_t bytes_per_key)
      : local_(std::move(local)),
        connection_(std::move(connection)),
        secret_(secret),
        bytes_per_key_(bytes_per_key),
        ssl_(SSL_new(context_of(side))) {
    CHECK(ssl_);
    SSL_set_app_data(ssl_.get(), &secret_);
    CHECK(data::use_socket(ssl_.get(), connection_.descriptor()));
    side == TlsSide::opened ? SSL_set_connect_state(ssl_.get()) : SSL_set_accept_state(ssl_.get());
  }

  void run() {
    if (!shake_hands()) return;
    while (true) {
      wanted_ = 0;
      is_moving_ = false;
      from_local();
      to_member();
      from_member();
      to_local();
      if (member_ended_ && in_.is_empty()) return;
      if (local_ended_ && out_.is_empty()) break;
      if (!is_moving_) wait();
    }
    SSL_shutdown(ssl_.get());
  }

  // With the time of an opening.
  bool shake_hands() {
    const auto deadline = Clock::now() + opening_time_max;
    while (true) {
      wanted_ = 0;
      const int result = SSL_do_handshake(ssl_.get());
      // 1 says that the secret was used: it is the only session that there can be.
      if (result == 1) return SSL_session_reused(ssl_.get()) == 1;
      want(result);
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (member_ended_ || left <= 0) return false;
      pollfd waited{connection_.descriptor(), wanted_, 0};
      poll(&waited, 1, static_cast<int>(left));
    }
  }

  void from_local() {
    if (local_ended_ || member_ended_ || !out_.is_empty()) return;
    const ssize_t size = recv(local_.descriptor(), out_.space().data(), out_.space().size(), 0);
    if (size > 0) {
      out_.set(static_cast<std::size_t>(size));
      is_moving_ = true;
    } else if (size == 0 || !is_retryable(errno)) {
      local_ended_ = true;
    }
  }

  void to_member() {
    std::size_t size = 0;
    while (!out_.is_empty()) {
      const int result = SSL_write_ex(ssl_.get(), out_.bytes().data(), out_.bytes().size(), &size);
      if (result != 1) {
        want(result);
        return;
      }
      out_.drop(size);
      is_moving_ = true;
      under_key_ += size;
      if (under_key_ < bytes_per_key_) continue;
      CHECK_EQ(SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED), 1);  // goes with the next write
      under_key_ = 0;
    }
  }

  void from_member() {
    if (member_ended_ || !in_.is_empty()) return;
    std::size_t held = 0;
    while (held < in_.space().size()) {
      std::size_t size = 0;
      const std::span<std::byte> space = in_.space().subspan(held);
      const int result = SSL_read_ex(ssl_.get(), space.data(), space.size(), &size);
      if (result != 1) {
        want(result);
        break;
      }
      held += size;
    }
    in_.set(held);
    if (held > 0) is_moving_ = true;
  }

  void to_local() {
    while (!in_.is_empty()) {
      const ssize_t size = send(local_.descriptor(), in_.bytes().data(), in_.bytes().size(), MSG_NOSIGNAL);
      if (size < 0 && is_retryable(errno)) return;
      if (size < 0) {
        local_ended_ = true;
        in_.set(0);
        return;
      }
      in_.drop(static_cast<std::size_t>(size));
      is_moving_ = true;
    }
  }

  // What a call of OpenSSL that did not succeed waits for, if the connection has not ended.
  void want(int result) {
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ) {
      wanted_ |= POLLIN;
    } else if (error == SSL_ERROR_WANT_WRITE) {
      wanted_ |= POLLOUT;
    } else {
      member_ended_ = true;
      out_.set(0);
    }
  }

  void wait() {
    short local = 0;
    if (!local_ended_ && !member_ended_ && out_.is_empty()) local |= POLLIN;
    if (!in_.is_empty()) local |= POLLOUT;
    std::array<pollfd, 2> waited{{{local != 0 ? local_.descriptor() : -1, local, 0},
                                  {wanted_ != 0 ? connection_.descriptor() : -1, wanted_, 0}}};
    poll(waited.data(), waited.size(), -1);
  }

  static bool is_retryable(int error) { return error == EAGAIN || error == EINTR; }

  const MemberSocket local_, connection_;
  const ConnectionSecret secret_;
  const std::uint64_t bytes_per_key_;
  const data::TlsSession ssl_;
  std::uint64_t under_key_ = 0;  // bytes that were sent
  Held out_, in_;                // to the member, and from it
  short wanted_ = 0;             // events of the connection
  bool is_moving_ = false;       // bytes were moved since the last wait
  bool local_ended_ = false;     // gRPC has closed its end
  bool member_ended_ = false;
};

}  // namespace

TlsTunnels::~TlsTunnels() {
  const MutexLock lock(mutex_);
  for (Tunnel& tunnel : tunnels_) tunnel.thread.join();
}

std::optional<MemberSocket> TlsTunnels::new_tunnel(MemberSocket connection, TlsSide side,
                                                   const ConnectionSecret& secret) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  MemberSocket for_grpc(ends[0]);
  auto carrier = std::make_unique<Carrier>(MemberSocket(ends[1]), std::move(connection), side, secret, bytes_per_key_);

  const MutexLock lock(mutex_);
  tunnels_.remove_if([](Tunnel& tunnel) {
    if (!tunnel.has_ended) return false;
    tunnel.thread.join();
    return true;
  });
  Tunnel& tunnel = tunnels_.emplace_back();
  try {
    tunnel.thread = std::thread([&tunnel, own = std::move(carrier)]() mutable {
      own->run();
      own.reset();  // Both sides see the end.
      tunnel.has_ended = true;
    });
  } catch (const std::system_error&) {
    tunnels_.pop_back();
    return std::nullopt;
  }
  return for_grpc;
}

}  // namespace carrack::train
