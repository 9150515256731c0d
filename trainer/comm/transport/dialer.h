// Dialer: opens connections to other members for an endpoint, each on a thread of its own, so that no caller blocks.
// Once it has connected to a process of a member, later calls do not connect to an earlier process of that member.
// Thread-safe. GrpcEndpoint and SharedMemoryEndpoint each have one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "dataloader/http/stop.h"
#include "trainer/comm/transport/admitted.h"
#include "trainer/comm/transport/member_connection.h"
#include "trainer/comm/transport/stranger_log.h"

namespace carrack::train {

class Dialer {
 public:
  using Opened = std::variant<ProvenConnection, FailedOpening>;

  // The owner of `identity.key`, and `log`, must outlive this. `log` gets a line if what is at an address is not the
  // expected member, or does not know the key.
  Dialer(const MemberIdentity& identity, StrangerLog& log) : identity_(identity), log_(log) {}

  // Opens a connection with open_connection(), and calls `done` once with the result: on the new thread, or on the
  // calling thread if no thread can be started. `done` must not throw: on the new thread that ends the process.
  // `address`, `expected` and `done` are copied. `stop`, which no other call may use meanwhile, and this object must
  // live until `done` has returned; the destructor does not wait for that.
  void dial(std::string address, const ExpectedMember& expected, data::Stop& stop,
            const std::function<void(Opened)>& done);

 private:
  Opened open(const std::string& address, const ExpectedMember& expected, data::Stop& stop);

  const MemberIdentity identity_;
  StrangerLog& log_;
  NewestStarts newest_starts_;
};

}  // namespace carrack::train
