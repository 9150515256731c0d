#include "dataloader/http/addresses.h"

#include <netdb.h>

#include <condition_variable>
#include <cstring>
#include <thread>
#include <utility>

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

Addresses found_by(const Server& server, int flags) {
  addrinfo hints{};
  hints.ai_flags = flags;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found); error != 0)
    return "cannot find " + server.host + ": " + ::gai_strerror(error);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> kept(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::memcpy(&addresses.emplace_back().bytes, one->ai_addr, one->ai_addrlen);
    addresses.back().size = one->ai_addrlen;
  }
  return addresses;
}

// Nothing for a name.
std::optional<Addresses> written_in(const Server& server) {
  Addresses addresses = found_by(server, AI_NUMERICHOST);
  return addresses.index() == 0 ? std::optional(std::move(addresses)) : std::nullopt;
}

}  // namespace

Addresses addresses_of(const Server& server) {
  return found_by(server, 0);
}

struct AddressLookup::Question {
  const Clock::time_point asked = Clock::now();
  std::mutex mutex;  // Guards answer.
  std::condition_variable changed;
  std::optional<Addresses> answer;

  bool is_open() {
    const std::lock_guard lock(mutex);
    return !answer;
  }
  void take(Addresses found) {
    const std::lock_guard lock(mutex);
    answer = std::move(found);
    changed.notify_all();
  }
};

AddressLookup::AddressLookup(Server server, Find find)
    : server_(std::move(server)), find_(std::move(find)), written_(written_in(server_)) {}

Addresses AddressLookup::addresses(std::chrono::milliseconds timeout, Stop* stop) {
  if (written_) return *written_;
  const std::shared_ptr<Question> question = ask(timeout);
  bool ended = false;  // Guarded by the question's mutex.
  const auto end = [&] {
    const std::lock_guard lock(question->mutex);
    ended = true;
    question->changed.notify_all();
  };
  const bool may_wait = stop == nullptr || stop->watch(end);
  std::unique_lock lock(question->mutex);
  ended |= !may_wait;
  question->changed.wait_for(lock, timeout, [&] { return ended || question->answer; });
  std::string why = "cannot find " + server_.host + ": no answer for " + std::to_string(timeout.count()) + " ms";
  if (ended) why = was_stopped;
  Addresses found = !ended && question->answer ? *question->answer : Addresses(std::move(why));
  lock.unlock();
  if (stop != nullptr) stop->watch(nullptr);
  return found;
}

// One that hangs is not waited for by those who come later, or a resolver that was mended would not be noticed.
std::shared_ptr<AddressLookup::Question> AddressLookup::ask(std::chrono::milliseconds timeout) {
  const std::lock_guard lock(mutex_);
  if (question_ && question_->is_open() && Clock::now() - question_->asked < timeout) return question_;
  question_ = std::make_shared<Question>();
  std::thread([question = question_, server = server_, find = find_] { question->take(find(server)); }).detach();
  return question_;
}

}  // namespace carrack::data
