// LocalHub: connects roles that run in one process (strategy Single), through endpoints (endpoint.h) without sockets. A
// frame is moved into the inbox of its receiver, without encoding it or copying its floats. There are no keys or
// limits, since both sides of a stream are in this process.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dataloader/mutex.h"
#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

// Thread-safe.
class LocalHub {
 public:
  // Makes the endpoint of one role, which reaches the other endpoints of this hub. Its events are put into `inbox`,
  // which no other endpoint may use. `inbox` and this must outlive it. Any text may be an address. Its listen() throws
  // Error with Blame::bug if another endpoint listens at the address, and its connect() ignores `expected`. A stream to
  // an address at which no endpoint listens gets a Closed event.
  std::unique_ptr<Endpoint> new_endpoint(Inbox& inbox);

 private:
  class LocalEndpoint;
  struct Side;

  std::shared_ptr<Side> find(PeerId peer) EXCLUDES(mutex_);
  void listen(Inbox& inbox, const std::string& address) EXCLUDES(mutex_);
  PeerId connect(Inbox& inbox, const std::string& address) EXCLUDES(mutex_);
  void deliver(const Side& from, Frame frame) EXCLUDES(mutex_);
  void end(const Side& side) EXCLUDES(mutex_);
  // Ends all streams of the endpoint of `inbox`. Only the inboxes of the other sides get Closed events.
  void end_all(Inbox& inbox) EXCLUDES(mutex_);

  Mutex mutex_;
  std::map<std::string, Inbox*> listening_ GUARDED_BY(mutex_);        // by address
  std::map<PeerId, std::shared_ptr<Side>> sides_ GUARDED_BY(mutex_);  // both sides of each stream
  PeerId last_id_ GUARDED_BY(mutex_) = 0;
};

}  // namespace carrack::train
