// Opens connections to other members, each on a thread of its own. Once it has reached a start of a member, it accepts
// no earlier start. Thread-safe.
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

  // The owner of `identity.key`, and `log`, must outlive this.
  Dialer(const MemberIdentity& identity, StrangerLog& log) : identity_(identity), log_(log) {}

  // Opens a connection as open_connection() does, and calls `done` once with the result: on the new thread, or on the
  // calling thread if no thread can be started. `stop` and this object must live until `done` has returned; the
  // destructor does not wait.
  void dial(std::string address, const Expected& expected, data::Stop& stop, const std::function<void(Opened)>& done);

 private:
  Opened open(const std::string& address, const Expected& expected, data::Stop& stop);

  const MemberIdentity identity_;
  StrangerLog& log_;
  NewestStarts newest_starts_;
};

}  // namespace carrack::train
