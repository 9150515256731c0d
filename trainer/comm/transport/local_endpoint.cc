#include "trainer/comm/transport/local_endpoint.h"

#include <utility>

#include "trainer/error.h"

namespace carrack::train {

// One side of a stream. It belongs to the endpoint of `inbox`.
struct LocalHub::Side final : Stream {
  Side(LocalHub& the_hub, Inbox& its_inbox, PeerId its_id, PeerId other_id)
      : hub(the_hub), inbox(its_inbox), id(its_id), other(other_id) {}

  void send(Frame frame) override { hub.deliver(*this, std::move(frame)); }
  void close() override { hub.end(*this); }  // sent frames are already in the other inbox
  void cancel() override { hub.end(*this); }
  bool is_open() override { return true; }  // find() does not return a side that has ended

  LocalHub& hub;
  Inbox& inbox;
  const PeerId id;
  const PeerId other;  // id of the other side of the stream
};

class LocalHub::LocalEndpoint final : public Endpoint {
 public:
  LocalEndpoint(LocalHub& hub, Inbox& inbox) : hub_(hub), inbox_(inbox) {}
  ~LocalEndpoint() override { hub_.end_all(inbox_); }

  std::string listen(const std::string& address) override {
    hub_.listen(inbox_, address);
    return address;
  }
  PeerId connect(const std::string& address, const ExpectedMember&) override { return hub_.connect(inbox_, address); }

 private:
  std::shared_ptr<Stream> find(PeerId peer) override { return hub_.find(peer); }

  LocalHub& hub_;
  Inbox& inbox_;
};

std::unique_ptr<Endpoint> LocalHub::new_endpoint(Inbox& inbox) {
  return std::make_unique<LocalEndpoint>(*this, inbox);
}

std::shared_ptr<LocalHub::Side> LocalHub::find(PeerId peer) {
  const MutexLock lock(mutex_);
  const auto found = sides_.find(peer);
  return found == sides_.end() ? nullptr : found->second;
}

void LocalHub::listen(Inbox& inbox, const std::string& address) {
  const MutexLock lock(mutex_);
  if (!listening_.emplace(address, &inbox).second) {
    throw Error(Blame::bug, "another role of this process listens at " + address);
  }
}

PeerId LocalHub::connect(Inbox& inbox, const std::string& address) {
  const MutexLock lock(mutex_);
  const PeerId id = ++last_id_;
  const auto listener = listening_.find(address);
  if (listener == listening_.end()) {
    inbox.put(Closed{id, "nobody listens at " + address});
    return id;
  }
  const PeerId other = ++last_id_;
  sides_.emplace(id, std::make_shared<Side>(*this, inbox, id, other));
  sides_.emplace(other, std::make_shared<Side>(*this, *listener->second, other, id));
  return id;
}

void LocalHub::deliver(const Side& from, Frame frame) {
  const MutexLock lock(mutex_);
  const auto to = sides_.find(from.other);
  if (to != sides_.end()) to->second->inbox.put(Arrived{from.other, std::move(frame)});
}

void LocalHub::end(const Side& side) {
  const MutexLock lock(mutex_);
  for (const auto& [id, why] :
       {std::pair(side.id, "it was closed"), std::pair(side.other, "the other side ended it")}) {
    const auto ended = sides_.extract(id);
    if (!ended.empty()) ended.mapped()->inbox.put(Closed{id, why});
  }
}

void LocalHub::end_all(Inbox& inbox) {
  const MutexLock lock(mutex_);
  std::erase_if(listening_, [&](const auto& listener) { return listener.second == &inbox; });
  std::vector<PeerId> left_alone;
  std::erase_if(sides_, [&](const auto& side) {
    if (&side.second->inbox != &inbox) return false;
    left_alone.push_back(side.second->other);
    return true;
  });
  for (const PeerId peer : left_alone) {
    const auto ended = sides_.extract(peer);
    if (!ended.empty()) ended.mapped()->inbox.put(Closed{peer, "the other side ended it"});
  }
}

}  // namespace carrack::train
