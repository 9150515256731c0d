// A reverse proxy in front of fake-gcs-server: plays GCS's documented behaviour (strict_gcs.h) and faults (faults.h).
//
// In-process for C++ tests; the program fault-proxy is the same thing. PUT /_faults sets faults, GET /_faults shows
// them and the counters. A thread per client connection. The destructor ends every stream, stalled ones too, within a
// fraction of a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/support/gcs/connection.h"
#include "tests/support/gcs/faults.h"
#include "tests/support/gcs/strict_gcs.h"

namespace carrack::tests {

// Since the faults were last set.
struct Counters {
  std::uint64_t requests = 0;
  std::uint64_t bytes_received = 0;  // Of request bodies.
  std::uint64_t bytes_sent = 0;      // Of reply bodies.
  std::map<std::string, std::uint64_t> methods;
  // Faults that a client could notice, under the names of faults_json.h; answers as `answer.503`.
  std::map<std::string, std::uint64_t> faults;
  bool operator==(const Counters&) const = default;
};

nlohmann::json to_json(const Counters& counters);

class FaultProxy {
 public:
  // `upstream` is http://HOST:PORT; throws std::runtime_error if it cannot listen. One that holds objects keeps in
  // memory what was downloaded once.
  explicit FaultProxy(const std::string& upstream, const Address& listen_on = {"127.0.0.1", 0},
                      bool holds_objects = false);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::string url() const;
  // Numbering of requests and all counters begin anew.
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

  mutable std::mutex mutex_;  // Guards script_ and counters_.
  FaultScript script_{Faults{}};
  Counters counters_;

  std::list<Worker> workers_;  // Of the accepting thread.
  std::jthread accepting_;
};

}  // namespace carrack::tests
