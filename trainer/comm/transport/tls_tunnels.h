// TlsTunnels: encrypts the connections of a GrpcEndpoint with TLS 1.3 (spec.security.tls). gRPC reads and writes plain
// bytes at one end of a socket pair; a thread for each connection encrypts and decrypts between the other end and the
// network. There are no certificates: both members use a secret that they have from their opening, as a pre-shared key
// (secret_of_connection() in protocol/opening.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <list>
#include <optional>
#include <string>
#include <thread>

#include "dataloader/mutex.h"
#include "trainer/comm/protocol/opening.h"
#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/stranger_log.h"

namespace carrack::train {

// The maximum time for which a tunnel continues to send to the other member after gRPC has closed its end.
constexpr auto flush_time_max = std::chrono::seconds(2);

enum class TlsSide { opened, accepted };  // which side of the connection this is

// The local end of a tunnel.
struct TunnelEnd {
  MemberSocket socket;  // plain bytes, for gRPC; nonblocking; its owner closes it
  // Becomes ready when the handshake ends: empty if it has succeeded, otherwise why it has failed.
  std::shared_future<std::string> handshake;
};

// Thread-safe.
class TlsTunnels {
 public:
  // After this number of TLS records the sender changes its key. AES-GCM is safe for at most 2^24.5 records with one
  // key (RFC 8446, 5.5); a large model's gradients reach that within minutes.
  static constexpr std::uint64_t key_records_max = std::uint64_t{1} << 22;

  // `log` must outlive this. Tests pass a lower `records_per_key`.
  explicit TlsTunnels(StrangerLog& log, std::uint64_t records_per_key = key_records_max)
      : log_(log), records_per_key_(records_per_key) {}
  TlsTunnels(const TlsTunnels&) = delete;
  TlsTunnels& operator=(const TlsTunnels&) = delete;
  // Close all sockets that new_tunnel() returned first. The destructor waits until what was written to them has been
  // sent, but at most flush_time_max, and not for tunnels whose handshake is under way.
  ~TlsTunnels();

  // Starts a thread that encrypts `connection`, whose opening must be complete, and returns the end for gRPC
  // immediately, before the TLS handshake. That socket reaches its end when the connection ends or the handshake fails.
  // A handshake that takes longer than opening_time_max fails; failures are logged. If the system has no thread or
  // descriptor left, closes the connection, logs that and returns nullopt. Copies `secret`.
  std::optional<TunnelEnd> new_tunnel(MemberSocket connection, TlsSide side, const ConnectionSecret& secret);

 private:
  struct Tunnel {
    std::atomic<bool> has_ended = false;
    std::thread thread;
  };

  StrangerLog& log_;
  const std::uint64_t records_per_key_;
  Mutex mutex_;
  std::list<Tunnel> tunnels_ GUARDED_BY(mutex_);
};

}  // namespace carrack::train
