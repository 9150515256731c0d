#include "trainer/comm/transport/dialer.h"

#include <system_error>
#include <thread>
#include <utility>

namespace carrack::train {

void Dialer::dial(std::string address, const ExpectedMember& expected, data::Stop& stop,
                  const std::function<void(Opened)>& done) {
  // The thread is detached, so that its stack is freed when it ends. The stack of a thread that nobody has joined is
  // not freed.
  try {
    std::thread([this, address = std::move(address), expected, &stop, done] {
      done(open(address, expected, stop));
    }).detach();
  } catch (const std::system_error& error) {
    done(FailedOpening{std::string("cannot start a thread: ") + error.what()});
  }
}

// Catches all exceptions, because this runs on a thread of its own, where an exception would end the process.
Dialer::Opened Dialer::open(const std::string& address, const ExpectedMember& expected, data::Stop& stop) try {
  Opened opened = open_connection(address, identity_, newest_starts_.least(expected), stop);
  if (const auto* connection = std::get_if<ProvenConnection>(&opened)) newest_starts_.add(connection->peer);
  const auto* failed = std::get_if<FailedOpening>(&opened);
  if (failed != nullptr && failed->is_by_stranger) log_.note("at " + address + ": " + failed->why);
  return opened;
} catch (const std::exception& error) {
  return FailedOpening{error.what()};
}

}  // namespace carrack::train
