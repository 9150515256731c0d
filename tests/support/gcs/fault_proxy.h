// FaultProxy: a reverse proxy in front of fake-gcs-server, which adds GCS's documented behaviour (strict_gcs.h) and
// plays faults (faults.h).
//
// C++ tests run it in their process; the program fault-proxy is the same. PUT /_faults sets faults, GET /_faults shows
// them and the counters. Each client connection has a thread. The destructor ends every connection, stalled ones as
// well, within a fraction of a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "dataloader/mutex.h"
#include "tests/support/gcs/connection.h"
#include "tests/support/gcs/faults.h"
#include "tests/support/gcs/strict_gcs.h"

namespace carrack::tests {

// Counted since the faults were last set.
struct Counters {
  std::uint64_t requests = 0;
  std::uint64_t bytes_received = 0;  // in request bodies
  std::uint64_t bytes_sent = 0;      // in reply bodies
  std::map<std::string, std::uint64_t> methods;
  // The faults that a client could notice, by their names in faults_json.h; answers as `answer.503`.
  std::map<std::string, std::uint64_t> faults;
  bool operator==(const Counters&) const = default;
};

nlohmann::json to_json(const Counters& counters);

class FaultProxy {
 public:
  // `upstream` is http://HOST:PORT; throws std::runtime_error if it cannot listen. With `holds_objects` it
  // keeps downloaded objects in memory.
  explicit FaultProxy(const std::string& upstream, const Address& listen_on = {"127.0.0.1", 0},
                      bool holds_objects = false);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::string url() const;
  // Resets the numbers of requests and all counters.
  void set(Faults faults);
  Faults faults() const;
  Counters counters() const;

 private:
  struct Worker {
    std::atomic<bool> done = false;
    std::jthread thread;
  };

  void accept_connections();
  void serve(int socket);
  bool serve_one(Connection& client, Upstream& upstream);
  bool serve_faults(Connection& client, const Request& request);
  Reply reply_to(const Request& request, Upstream& upstream, const Play& play);
  bool send(Connection& client, Upstream& upstream, const Request& request, const Reply& reply, const Play& play);
  bool send_body(Connection& client, Upstream& upstream, const Reply& reply, const Play& play);
  bool wait_until(std::chrono::steady_clock::time_point when) const;
  bool lets_in(const Request& request) const;
  Play next_play(const Request& request);
  void count_fault(const std::string& name);

  const Address upstream_;
  const std::string host_;
  OpenSockets sockets_;
  Listener listener_;
  StrictGcs gcs_;
  std::atomic<bool> stopping_ = false;

  mutable Mutex mutex_;
  FaultScript script_ GUARDED_BY(mutex_){Faults{}};
  Counters counters_ GUARDED_BY(mutex_);

  std::list<Worker> workers_;  // Used by the accepting thread only.
  std::jthread accepting_;
};

}  // namespace carrack::tests
