// Encrypts the connections of an endpoint. gRPC gets one end of a pair of sockets. What passes there is carried over
// the connection by a thread of its own, in TLS 1.3 under a secret that the two members have from their opening
// (secret_of_connection() in protocol/opening.h); there are no certificates.
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

// How long a tunnel goes on sending after gRPC has closed its end.
constexpr auto flush_time_max = std::chrono::seconds(2);

enum class TlsSide { opened, accepted };  // which side of the connection this is

// The end of a tunnel that is here.
struct TunnelEnd {
  MemberSocket socket;  // for gRPC, whose owner closes it
  // Comes with the end of the handshake: empty if it has succeeded, else why the connection was closed.
  std::shared_future<std::string> handshake;
};

// Thread-safe.
class TlsTunnels {
 public:
  // AES-GCM protects 2^24.5 records under one key (RFC 8446, 5.5): minutes of the gradients of a large model.
  static constexpr std::uint64_t key_records_max = std::uint64_t{1} << 22;

  // `log` must outlive this. A side takes a new key once it has sent so many records.
  explicit TlsTunnels(StrangerLog& log, std::uint64_t records_per_key = key_records_max)
      : log_(log), records_per_key_(records_per_key) {}
  TlsTunnels(const TlsTunnels&) = delete;
  TlsTunnels& operator=(const TlsTunnels&) = delete;
  // All sockets that new_tunnel() returned must be closed. Waits until what was written to them before has been sent,
  // but not longer than flush_time_max.
  ~TlsTunnels();

  // Begins to carry over `connection`, whose opening has ended. The socket of what it returns is closed by the other
  // end if the handshake has not succeeded within opening_time_max, which is logged, or the connection ends. Returns
  // nullopt, closes the connection and logs it if the system has no thread or descriptor for it.
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
