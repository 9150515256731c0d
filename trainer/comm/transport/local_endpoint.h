// Endpoints within one process. A frame is moved into the inbox of its receiver, without encoding it or copying its
// floats. There are no keys or limits, since both sides of a stream are in this process.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dataloader/mutex.h"
#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

// Connects the local endpoints of a process. Thread-safe.
class LocalHub {
 public:
  // Makes an endpoint that reaches the others of this hub. `inbox` and this must outlive it. Any text may be an
  // address; its listen() throws Error with Blame::bug if the address is in use.
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
