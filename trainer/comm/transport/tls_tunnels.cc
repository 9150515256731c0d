#include "trainer/comm/transport/tls_tunnels.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
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
using Secret = std::unique_ptr<SSL_SESSION, SessionDeleter>;  // OpenSSL takes the secret as a session to resume

// The only cipher suite. The secret is used with the hash of this suite.
constexpr const char* cipher_suite = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> cipher_id{0x13, 0x01};

// The name of the secret. It carries no information, because the two sides have only one secret for each connection.
constexpr std::string_view secret_name = "carrack";

// The first and the largest size of a tunnel's buffer for one direction. Before the first byte it has no memory.
constexpr std::size_t buffer_bytes_min = std::size_t{16} << 10, buffer_bytes_max = std::size_t{128} << 10;

const ConnectionSecret& secret_of(SSL* ssl) {
  return *static_cast<const ConnectionSecret*>(SSL_get_app_data(ssl));
}

// Returns null if there is no memory for the session.
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

// OpenSSL calls this on the side that opened the connection (the TLS client), to get the pre-shared key and its name.
int use_secret(SSL* ssl, const EVP_MD*, const unsigned char** name, std::size_t* name_size, SSL_SESSION** session) {
  *name = reinterpret_cast<const unsigned char*>(secret_name.data());
  *name_size = secret_name.size();
  *session = session_with(ssl).release();
  return *session != nullptr;
}

// OpenSSL calls this on the side that accepted (the TLS server), to get the pre-shared key that the client names. For
// another name it gets none, and the handshake fails, because no certificate is set.
int find_secret(SSL* ssl, const unsigned char* name, std::size_t name_size, SSL_SESSION** session) {
  *session = nullptr;
  if (std::string_view(reinterpret_cast<const char*>(name), name_size) != secret_name) return 1;
  *session = session_with(ssl).release();
  return *session != nullptr;
}

// Allows only TLS 1.3 with the pre-shared secret. It sets no certificate, so no side can use one instead.
data::TlsContext new_context(TlsSide side) {
  data::TlsContext context(SSL_CTX_new(TLS_method()));
  CHECK(context);
  CHECK_EQ(SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION), 1);
  CHECK_EQ(SSL_CTX_set_ciphersuites(context.get(), cipher_suite), 1);
  CHECK_EQ(SSL_CTX_set_num_tickets(context.get(), 0), 1);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
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

// The bytes under way in one direction. The buffer grows if many bytes come in one read.
class Buffer {
 public:
  bool is_empty() const { return begin_ == end_; }
  std::span<const std::byte> bytes() const { return std::span(memory_).subspan(begin_, end_ - begin_); }
  // Returns the memory to fill. Call it only if is_empty(), and call set() afterwards.
  std::span<std::byte> space() {
    if (end_ == memory_.size() && end_ < buffer_bytes_max)
      memory_.resize(end_ == 0 ? buffer_bytes_min : buffer_bytes_max);
    return memory_;
  }
  void set(std::size_t size) { begin_ = 0, end_ = size; }
  void drop(std::size_t size) { begin_ += size; }

 private:
  std::vector<std::byte> memory_;
  std::size_t begin_ = 0, end_ = 0;
};

// Carries bytes between gRPC and the other member until one of them has ended.
class Carrier {
 public:
  Carrier(MemberSocket local, MemberSocket connection, TlsSide side, const ConnectionSecret& secret,
          std::uint64_t records_per_key)
      : local_(std::move(local)),
        connection_(std::move(connection)),
        peer_(peer_name(connection_.descriptor())),
        secret_(secret),
        records_per_key_(records_per_key),
        ssl_(SSL_new(context_of(side))) {
    CHECK(ssl_);
    SSL_set_app_data(ssl_.get(), &secret_);
    CHECK(data::use_socket(ssl_.get(), connection_.descriptor()));
    side == TlsSide::opened ? SSL_set_connect_state(ssl_.get()) : SSL_set_accept_state(ssl_.get());
  }

  // Shuts both sockets down, so that both sides see the end even if another process has copies of the descriptors.
  ~Carrier() {
    shutdown(local_.descriptor(), SHUT_RDWR);
    shutdown(connection_.descriptor(), SHUT_RDWR);
  }

  enum class Handshake { done, closed_here, failed };

  // Takes at most opening_time_max.
  Handshake shake_hands() {
    const Clock::time_point deadline = Clock::now() + opening_time_max;
    while (true) {
      wanted_ = 0;
      ERR_clear_error();
      const int result = SSL_do_handshake(ssl_.get());
      if (result == 1) break;
      want(result);
      if (member_ended_) return fail(reason_of_openssl());
      const int left = milliseconds_until(deadline);
      if (left == 0) return fail("it is silent");
      std::array<pollfd, 2> waited{{{connection_.descriptor(), wanted_, 0}, {local_.descriptor(), 0, 0}}};
      poll(waited.data(), waited.size(), left);
      if (waited[1].revents != 0) return Handshake::closed_here;
    }
    OPENSSL_cleanse(secret_.data(), secret_.size());
    // The secret is the only session that can exist, so it must have been used.
    return SSL_session_reused(ssl_.get()) == 1 ? Handshake::done : fail("it has used no secret");
  }
  // Why the handshake has failed.
  const std::string& failure() const { return failure_; }

  // Received bytes are carried before anything is sent: a write that fails shows that the other side has ended, but
  // bytes that it sent before may still be waiting.
  void carry() {
    while (true) {
      wanted_ = 0;
      is_moving_ = false;
      from_member();
      to_local();
      from_local();
      to_member();
      if (member_ended_ && in_.is_empty()) return;
      if (local_ended_ && out_.is_empty()) break;
      if (!is_moving_ && !wait()) return;
    }
    SSL_shutdown(ssl_.get());
  }

 private:
  void from_local() {
    if (local_ended_ || member_ended_ || !out_.is_empty()) return;
    const std::span<std::byte> space = out_.space();
    const ssize_t size = recv(local_.descriptor(), space.data(), space.size(), 0);
    if (size > 0) {
      out_.set(static_cast<std::size_t>(size));
      is_moving_ = true;
    } else if (size == 0 || !is_retryable(errno)) {
      local_ended_ = true;
      begin_flush();
    }
  }

  void to_member() {
    while (!out_.is_empty() && take_another_key_if_due()) {
      std::size_t size = 0;
      ERR_clear_error();
      const int result = SSL_write_ex(ssl_.get(), out_.bytes().data(), out_.bytes().size(), &size);
      if (result != 1) return want(result);
      out_.drop(size);
      is_moving_ = true;
      ++records_;
    }
  }

  // A new key is announced by a record of its own. While OpenSSL waits to write that record it does not read either,
  // and two sides might wait for each other. So the key is changed only when there is room for the record. Returns
  // false if there is no room yet, or if the change failed.
  bool take_another_key_if_due() {
    if (records_ < records_per_key_) return true;
    pollfd room{connection_.descriptor(), POLLOUT, 0};
    if (poll(&room, 1, 0) != 1) {
      wanted_ |= POLLOUT;
      return false;
    }
    records_ = 0;
    ERR_clear_error();
    if (SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl_.get()) == 1) return true;
    end_of_member();
    return false;
  }

  void from_member() {
    if (member_ended_ || !in_.is_empty()) return;
    const std::span<std::byte> space = in_.space();
    std::size_t received = 0;
    while (received < space.size()) {
      std::size_t size = 0;
      ERR_clear_error();
      const int result = SSL_read_ex(ssl_.get(), space.data() + received, space.size() - received, &size);
      if (result != 1) {
        want(result);
        break;
      }
      received += size;
    }
    in_.set(received);
    if (received > 0) is_moving_ = true;
  }

  void to_local() {
    while (!in_.is_empty()) {
      const ssize_t size = send(local_.descriptor(), in_.bytes().data(), in_.bytes().size(), MSG_NOSIGNAL);
      if (size < 0 && is_retryable(errno)) return;
      if (size < 0) {
        begin_flush();
        return in_.set(0);
      }
      in_.drop(static_cast<std::size_t>(size));
      is_moving_ = true;
    }
  }

  // Records which event an unsuccessful call of OpenSSL waits for, or that the connection has ended.
  void want(int result) {
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ) {
      wanted_ |= POLLIN;
    } else if (error == SSL_ERROR_WANT_WRITE) {
      wanted_ |= POLLOUT;
    } else {
      end_of_member();
    }
  }

  void end_of_member() {
    member_ended_ = true;
    out_.set(0);
  }

  // Called when gRPC has closed its end of the socket pair. What gRPC wrote before must still be sent to the member,
  // but for at most flush_time_max.
  void begin_flush() {
    if (!flush_by_) flush_by_ = Clock::now() + flush_time_max;
  }

  // Returns false if there is no more time to flush.
  bool wait() {
    short local = 0;
    if (!local_ended_ && !member_ended_ && out_.is_empty()) local |= POLLIN;
    if (!in_.is_empty()) local |= POLLOUT;
    const int left = flush_by_ ? milliseconds_until(*flush_by_) : -1;
    if (left == 0) return false;
    // poll() reports the closed end of a socket again and again, even if no event is requested. So such a descriptor is
    // left out.
    std::array<pollfd, 2> waited{{{flush_by_ && local == 0 ? -1 : local_.descriptor(), local, 0},
                                  {wanted_ != 0 ? connection_.descriptor() : -1, wanted_, 0}}};
    poll(waited.data(), waited.size(), left);
    if ((waited[0].revents & POLLHUP) != 0) begin_flush();
    return true;
  }

  Handshake fail(const std::string& why) {
    failure_ = "TLS with " + peer_ + " failed: " + why;
    return Handshake::failed;
  }

  static std::string reason_of_openssl() {
    const unsigned long error = ERR_peek_last_error();
    const char* text = error == 0 ? nullptr : ERR_reason_error_string(error);
    return text == nullptr ? "it ended the connection" : text;
  }

  static int milliseconds_until(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return static_cast<int>(std::max<decltype(left)>(0, left));
  }

  static bool is_retryable(int error) { return error == EAGAIN || error == EINTR; }

  const MemberSocket local_, connection_;
  const std::string peer_;  // for messages
  std::string failure_;
  ConnectionSecret secret_;  // erased when the handshake has ended
  const std::uint64_t records_per_key_;
  const data::TlsSession ssl_;
  std::uint64_t records_ = 0;  // number of records sent with the current key
  Buffer out_, in_;            // out_: bytes to the member; in_: bytes from it
  short wanted_ = 0;           // events for which to poll the connection
  bool is_moving_ = false;     // bytes were moved since the last wait
  bool local_ended_ = false;   // all that gRPC wrote was read
  std::optional<Clock::time_point> flush_by_;
  bool member_ended_ = false;
};

}  // namespace

TlsTunnels::~TlsTunnels() {
  const MutexLock lock(mutex_);
  for (Tunnel& tunnel : tunnels_) tunnel.thread.join();
}

std::optional<TunnelEnd> TlsTunnels::new_tunnel(MemberSocket connection, TlsSide side, const ConnectionSecret& secret) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    log_.note(std::string("cannot encrypt: ") + std::strerror(errno));
    return std::nullopt;
  }
  std::promise<std::string> handshake;
  TunnelEnd end{MemberSocket(ends[0]), handshake.get_future().share()};
  auto carrier =
      std::make_unique<Carrier>(MemberSocket(ends[1]), std::move(connection), side, secret, records_per_key_);

  const MutexLock lock(mutex_);
  tunnels_.remove_if([](Tunnel& tunnel) {
    if (!tunnel.has_ended) return false;
    tunnel.thread.join();
    return true;
  });
  Tunnel& tunnel = tunnels_.emplace_back();
  try {
    tunnel.thread = std::thread([this, &tunnel, own = std::move(carrier), handshake = std::move(handshake)]() mutable {
      switch (own->shake_hands()) {
        case Carrier::Handshake::done:
          handshake.set_value("");
          own->carry();
          break;
        case Carrier::Handshake::closed_here:  // the destructor of an endpoint causes this, so nothing is logged
          handshake.set_value("it was closed here");
          break;
        case Carrier::Handshake::failed:
          log_.note(own->failure());
          handshake.set_value(own->failure());
          break;
      }
      own.reset();  // shuts both sockets down, so that gRPC and the member see the end
      tunnel.has_ended = true;
    });
  } catch (const std::system_error& error) {
    log_.note(std::string("cannot encrypt: ") + error.what());
    tunnels_.pop_back();
    return std::nullopt;
  }
  return end;
}

}  // namespace carrack::train
