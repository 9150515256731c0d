#include "trainer/comm/transport/gate.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "trainer/comm/transport/nonce.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

// The maximum number of connections that the gate accepts before it polls the earlier ones again, so that many new
// connections cannot delay those that are proving themselves.
constexpr std::size_t accepted_at_once_max = 64;

}  // namespace

Gate::Gate(Listening listening, KeyBytes key, AcceptingMember self, StrangerLog& log, Admit admit)
    : listening_(std::move(listening)),
      key_(key),
      self_(std::move(self)),
      log_(log),
      admit_(std::move(admit)),
      thread_([this] { serve(); }) {}

Gate::~Gate() {
  stop_event_.set();
  thread_.join();
}

void Gate::serve() {
  for (;;) {
    std::vector<pollfd> polled{{stop_event_.descriptor(), POLLIN, 0}, {listening_.socket.descriptor(), POLLIN, 0}};
    for (const Stranger& stranger : strangers_) polled.push_back({stranger.socket.descriptor(), POLLIN, 0});
    if (poll(polled.data(), polled.size(), poll_timeout_ms()) < 0) continue;  // EINTR
    if (polled[0].revents != 0) return;
    for (std::size_t i = 0; i < strangers_.size(); ++i) {
      if (polled[i + 2].revents != 0) read_response(strangers_[i]);
    }
    close_finished();
    if (polled[1].revents != 0) accept_connections();
  }
}

void Gate::accept_connections() {
  for (std::size_t accepted = 0; accepted < accepted_at_once_max; ++accepted) {
    MemberSocket socket(accept4(listening_.socket.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.descriptor() >= 0) {
      challenge(std::move(socket));
      continue;
    }
    if (errno == EAGAIN) return;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    // The process has no descriptors or memory left. Without a pause, poll() would return immediately, again and again.
    if (!strangers_.empty()) strangers_.pop_front();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return;
  }
}

void Gate::challenge(MemberSocket socket) {
  set_options(socket.descriptor());
  if (strangers_.size() == strangers_max) {
    log_.note(peer_name(strangers_.front().socket.descriptor()) + " was too slow to prove that it knows the job's key");
    strangers_.pop_front();
  }
  const OpeningDeadline deadline = Clock::now() + opening_time_max;
  Stranger stranger{std::move(socket), deadline, AcceptedOpening(key_, self_, new_nonce())};
  // The challenge fits into the empty buffer of a new connection, so it is written without waiting.
  if (!write_all(stranger.socket, stranger.opening.challenge(), Clock::now())) return;
  strangers_.push_back(std::move(stranger));
  CHECK_LE(strangers_.size(), strangers_max);
}

void Gate::read_response(Stranger& stranger) {
  const std::span<std::uint8_t> rest = std::span(stranger.response).subspan(stranger.received);
  const ssize_t size = recv(stranger.socket.descriptor(), rest.data(), rest.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return refuse(stranger, "has left before it proved that it knows the job's key");
  stranger.received += static_cast<std::size_t>(size);
  if (stranger.received == stranger.response.size()) admit(stranger);
}

void Gate::admit(Stranger& stranger) {
  const auto proven = stranger.opening.check(stranger.response);
  if (!proven) return refuse(stranger, "did not prove that it knows the job's key");
  stranger.is_done = true;
  if (!write_all(stranger.socket, proven->proof, Clock::now())) return;
  admit_(stranger.socket.release(), *proven);
}

void Gate::refuse(Stranger& stranger, const std::string& why) {
  log_.note(peer_name(stranger.socket.descriptor()) + " " + why);
  stranger.is_done = true;
}

void Gate::close_finished() {
  const Clock::time_point now = Clock::now();
  for (Stranger& stranger : strangers_) {
    if (!stranger.is_done && now >= stranger.deadline) refuse(stranger, "has been silent");
  }
  std::erase_if(strangers_, [](const Stranger& stranger) { return stranger.is_done; });
}

// The timeout for poll() in milliseconds, until the first deadline; -1 (no limit) if no connection waits for its proof.
int Gate::poll_timeout_ms() const {
  if (strangers_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(strangers_.front().deadline - Clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

}  // namespace carrack::train
