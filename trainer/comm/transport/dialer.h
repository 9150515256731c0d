// Opens connections to other members, each on a thread of its own. It accepts no start of a member that is older than
// one which it has reached before. Thread-safe.
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

  // The owner of the key, and `log`, must outlive this.
  Dialer(const MemberIdentity& identity, StrangerLog& log) : identity_(identity), log_(log) {}

  // Opens a connection as open_connection() does, and calls `done` with it once: on the new thread, or on this one if
  // there can be no other. `stop` and this must live until it returns.
  void dial(std::string address, const Expected& expected, data::Stop& stop, const std::function<void(Opened)>& done);

 private:
  Opened open(const std::string& address, const Expected& expected, data::Stop& stop);

  const MemberIdentity identity_;
  StrangerLog& log_;
  NewestStarts newest_starts_;
};

}  // namespace carrack::train
