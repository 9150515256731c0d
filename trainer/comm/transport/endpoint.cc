#include "trainer/comm/transport/endpoint.h"

#include <map>
#include <string_view>
#include <utility>

#include "trainer/points.h"

namespace carrack::train {
namespace {

// Returns the name of the crash point of a message, such as "send.push". Tests can end the process there.
std::string_view point_of(const wire::Message& message) {
  // Never destroyed, because threads may still send while exit() destroys static objects.
  static const auto& points = *new std::map<int, std::string>([] {
    std::map<int, std::string> all{{wire::Message::BODY_NOT_SET, "send.nothing"}};
    const google::protobuf::OneofDescriptor& body = *wire::Message::descriptor()->FindOneofByName("body");
    for (int i = 0; i < body.field_count(); ++i) all[body.field(i)->number()] = "send." + body.field(i)->name();
    return all;
  }());
  return points.at(message.body_case());
}

}  // namespace

void Endpoint::send(PeerId to, wire::Message message, Tail tail) {
  const CrashPoint point(point_of(message));
  if (const auto stream = find(to)) stream->send({std::move(message), std::move(tail)});
}

void Endpoint::close(PeerId peer) {
  if (const auto stream = find(peer)) stream->close();
}

void Endpoint::cancel(PeerId peer) {
  if (const auto stream = find(peer)) stream->cancel();
}

bool Endpoint::is_open(PeerId peer) {
  const auto stream = find(peer);
  return stream && stream->is_open();
}

}  // namespace carrack::train
