// PageServer: a small HTTP server for the few pages of a process about itself. One thread serves them all with poll();
// it needs no thread for a connection, so clients that are silent, slow or send garbage delay no other.
//
// Limits: GET only; one request of at most 8 KiB a connection; a connection lasts at most 2 seconds; at most 64
// connections at a time, and a new one closes the oldest. Two PageServers do not share a limit, so a flood on one does
// not reach the other.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "dataloader/error.h"

namespace carrack::data {

struct Page {
  int status = 200;  // 200 or 503
  std::string body;
  std::string content_type = "text/plain";
};

// By path. The functions are called on the server's thread, one at a time; one that throws is answered with 500.
using Pages = std::map<std::string, std::function<Page()>>;

class PageServer {
 public:
  // Serves at ADDRESS:PORT, with an IP address, until it is destroyed; port 0 takes a free one. Throws Refused if it
  // cannot listen there; the message is the reason alone. What `pages` refer to must outlive the PageServer.
  PageServer(const std::string& address, Pages pages);
  // Closes all connections. Waits for a page function that is being called.
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const;

 private:
  struct Connection {
    int socket;
    std::chrono::steady_clock::time_point deadline;
    std::string request = {};
    std::string reply = {};    // what is still to be sent
    bool has_replied = false;  // `reply` was filled
    bool is_finished = false;  // to be closed
  };

  void serve();
  void accept_connections();
  void read_request(Connection& connection) const;
  static void send_reply(Connection& connection);
  void close_finished();
  std::string reply_to(const std::string& request) const;
  int poll_timeout_ms() const;

  const Pages pages_;
  const int stop_event_;  // an eventfd, readable once the server is to stop
  const int listener_;
  std::deque<Connection> connections_;  // the oldest first; used by the thread alone
  std::jthread thread_;                 // last: it uses all of the above
};

}  // namespace carrack::data
