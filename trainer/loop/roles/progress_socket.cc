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

constexpr auto guest_stays = std::chrono::seconds(2);
constexpr std::size_t guests_max = 64;
constexpr std::size_t request_max = 8192;
constexpr int look_every_ms = 50;

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
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> place(found, &freeaddrinfo);
  const int listener = socket(place->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      bind(listener, place->ai_addr, place->ai_addrlen) == 0 && listen(listener, SOMAXCONN) == 0) {
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

Page::Page(const std::string& address, std::string path)
    : path_(std::move(path)),
      listener_(listener_at(address)),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

Page::~Page() {
  thread_.request_stop();
  thread_.join();
  for (const Guest& guest : guests_) close(guest.socket);
  close(listener_);
}

void Page::show(std::string text) {
  const std::lock_guard lock(mutex_);
  if (text == text_) return;
  text_ = std::move(text);
  told_ = false;
}

void Page::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> waited{{listener_, POLLIN, 0}};
    for (const Guest& guest : guests_) waited.push_back({guest.socket, POLLIN, 0});
    if (poll(waited.data(), waited.size(), look_every_ms) < 0) continue;
    for (std::size_t i = 0; i < guests_.size(); ++i) {
      if (waited[i + 1].revents != 0) hear(guests_[i]);
    }
    const Clock::time_point now = Clock::now();
    std::erase_if(guests_, [&](const Guest& guest) {
      const bool leaves = guest.done || now >= guest.until;
      if (leaves) close(guest.socket);
      return leaves;
    });
    if (waited[0].revents != 0) take_in();
  }
}

void Page::take_in() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return;
  if (guests_.size() == guests_max) {
    close(guests_.front().socket);
    guests_.pop_front();
  }
  guests_.push_back({.socket = socket, .until = Clock::now() + guest_stays});
}

void Page::hear(Guest& guest) {
  std::array<char, 1024> bytes;
  const ssize_t got = recv(guest.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  guest.done = got <= 0;
  // Who was answered closes first: closing on bytes that were not read would take the answer back.
  if (guest.done || guest.answered) return;
  guest.request.append(bytes.data(), static_cast<std::size_t>(got));
  guest.done = guest.request.size() > request_max;
  if (guest.request.find("\r\n\r\n") == std::string::npos) return;
  // It is short, and the first that is sent: there is room for it.
  const std::string answer = answer_to(guest.request);
  send(guest.socket, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(guest.socket, SHUT_WR);
  guest.answered = true;
}

std::string Page::answer_to(const std::string& request) {
  if (!request.starts_with("GET " + path_ + " "))
    return reply("404 Not Found", "text/plain", "there is " + path_ + "\n");
  const std::lock_guard lock(mutex_);
  told_ = true;
  return reply("200 OK", "application/json", text_);
}

}  // namespace carrack::train
