#include "trainer/loop/roles/progress_socket.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <vector>

#include "trainer/error.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto connection_lifetime = std::chrono::seconds(2);
constexpr std::size_t connections_max = 64;
constexpr std::size_t request_max = 8192;
constexpr int poll_ms = 50;

Error cannot_serve(const std::string& address, const std::string& why) {
  return {Blame::platform, "cannot serve progress at " + address + ": " + why};
}

int listener_at(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) throw cannot_serve(address, "it is no HOST:PORT");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found);
  if (error != 0) throw cannot_serve(address, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> resolved(found, &freeaddrinfo);
  const int listener = socket(resolved->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      bind(listener, resolved->ai_addr, resolved->ai_addrlen) == 0 && listen(listener, SOMAXCONN) == 0) {
    return listener;
  }
  const std::string why = std::generic_category().message(errno);
  if (listener >= 0) close(listener);
  throw cannot_serve(address, why);
}

std::string reply(const std::string& status, const std::string& type, const std::string& text) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\nConnection: close\r\n\r\n" + text;
}

}  // namespace

ProgressSocket::ProgressSocket(const std::string& address, std::string path)
    : path_(std::move(path)),
      listener_(listener_at(address)),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

ProgressSocket::~ProgressSocket() {
  thread_.request_stop();
  thread_.join();
  for (const Connection& connection : connections_) close(connection.socket);
  close(listener_);
}

void ProgressSocket::show(std::string text) {
  const MutexLock lock(mutex_);
  if (text == text_) return;
  text_ = std::move(text);
  was_read_ = false;
}

void ProgressSocket::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> polled{{listener_, POLLIN, 0}};
    for (const Connection& connection : connections_) polled.push_back({connection.socket, POLLIN, 0});
    if (poll(polled.data(), polled.size(), poll_ms) < 0) continue;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (polled[i + 1].revents != 0) read_from(connections_[i]);
    }
    const Clock::time_point now = Clock::now();
    std::erase_if(connections_, [&](const Connection& connection) {
      const bool closes = connection.done || now >= connection.deadline;
      if (closes) close(connection.socket);
      return closes;
    });
    if (polled[0].revents != 0) accept_one();
  }
}

void ProgressSocket::accept_one() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return;
  if (connections_.size() == connections_max) {
    close(connections_.front().socket);
    connections_.pop_front();
  }
  connections_.push_back({.socket = socket, .deadline = Clock::now() + connection_lifetime});
}

void ProgressSocket::read_from(Connection& connection) {
  std::array<char, 1024> bytes;
  const ssize_t got = recv(connection.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  connection.done = got <= 0;
  // After the answer, wait until the client closes: closing while it still sends would make the kernel drop the answer.
  if (connection.done || connection.answered) return;
  connection.request.append(bytes.data(), static_cast<std::size_t>(got));
  connection.done = connection.request.size() > request_max;
  if (connection.request.find("\r\n\r\n") == std::string::npos) return;
  // The answer is short and the first thing sent, so the socket buffer has room for it.
  const std::string answer = answer_to(connection.request);
  send(connection.socket, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(connection.socket, SHUT_WR);
  connection.answered = true;
}

std::string ProgressSocket::answer_to(const std::string& request) {
  if (!request.starts_with("GET " + path_ + " "))
    return reply("404 Not Found", "text/plain", "there is " + path_ + "\n");
  const MutexLock lock(mutex_);
  was_read_ = true;
  return reply("200 OK", "application/json", text_);
}

}  // namespace carrack::train
