// PageServer: a small HTTP server for the pages of a process about itself, such as /metrics for Prometheus and the
// probes of Kubernetes. One thread serves all connections with poll(), so a client that is silent or slow, or sends
// garbage, delays no other client. A slow page function delays all of them. No TLS and no authentication.
//
// Limits: GET only; one request of at most 8 KiB for each connection; a connection is closed after 2 seconds; at most
// 64 connections at a time, and a new one closes the oldest. Two PageServers share no limit, so a flood of requests to
// one does not affect the other.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "dataloader/error.h"

namespace carrack::data {

// A reply.
struct Page {
  int status = 200;  // any other value than 200 is sent as 503
  std::string body;
  std::string content_type = "text/plain";
};

// The function of each path, such as "/metrics"; a query is ignored, and any other path is 404. The functions are
// called on the server's thread, one at a time, and must not be empty. If one throws a std::exception, the client gets
// status 500 with its message; any other exception ends the process.
using Pages = std::map<std::string, std::function<Page()>>;

class PageServer {
 public:
  // Serves at `address`, which is IP:PORT, until it is destroyed; an IPv6 address is in brackets, and port 0 selects a
  // free port. Throws Refused if it cannot listen there; the message is the reason, without the address. Everything
  // that `pages` refer to must outlive the PageServer.
  PageServer(const std::string& address, Pages pages);
  // Waits until a running page function returns, and closes all connections.
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const;  // the port at which it listens; useful if `address` has port 0

 private:
  struct Connection {
    int socket;
    std::chrono::steady_clock::time_point deadline;
    std::string request = {};
    std::string reply = {};    // bytes that must still be sent
    bool has_replied = false;  // `reply` was filled
    bool is_finished = false;  // must be closed
  };

  // Owns a file descriptor, and closes it.
  class Descriptor {
   public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

   private:
    const int number_;
  };

  void serve();
  void accept_connections();
  void read_request(Connection& connection) const;
  static void send_reply(Connection& connection);
  void close_finished();
  std::string reply_to(const std::string& request) const;
  int poll_timeout_ms() const;

  const Pages pages_;
  const Descriptor stop_event_;  // an eventfd, readable once the server must stop
  const Descriptor listener_;
  std::deque<Connection> connections_;  // the oldest first; used only by the thread
  std::jthread thread_;                 // last: it uses all of the above
};

}  // namespace carrack::data
