#include "trainer/comm/transport/member_connection.h"

#include <utility>

#include "trainer/comm/transport/nonce.h"

namespace carrack::train {
namespace {

struct Proven {
  MemberStart peer;
  Proof proof;
};

// Reads the other side's challenge, sends the response with this side's proof, and checks the other side's proof.
std::variant<Proven, FailedOpening> exchange(const MemberSocket& socket, const OpenedOpening& opening,
                                             OpeningDeadline deadline) {
  Challenge challenge;
  if (!read_all(socket, challenge, deadline)) return FailedOpening{"it ended the connection, or sent nothing"};
  const auto answered = opening.answer(challenge);
  if (const auto* why = std::get_if<std::string>(&answered)) return FailedOpening{*why, true};
  const auto& answer = std::get<OpenedOpening::Answer>(answered);
  Proof proof;
  if (!write_all(socket, answer.response, deadline) || !read_all(socket, proof, deadline)) {
    return FailedOpening{"it ended the connection before it proved that it knows the key"};
  }
  if (!answer.is_proven_by(proof)) return FailedOpening{"it did not prove that it knows the job's key", true};
  return Proven{answer.peer, proof};
}

}  // namespace

std::variant<ProvenConnection, FailedOpening> open_connection(const std::string& address,
                                                              const MemberIdentity& identity,
                                                              const ExpectedMember& expected, data::Stop& stop) {
  auto connected = connect_to(address, stop);
  if (const auto* why = std::get_if<std::string>(&connected)) return FailedOpening{*why};
  auto& [socket, deadline] = std::get<Connected>(connected);
  const OpenedOpening opening(identity.key, identity.self, expected, address, new_nonce());
  const auto result = exchange(socket, opening, deadline);
  stop.watch(nullptr);
  if (stop.stopped()) return FailedOpening{data::was_stopped};
  if (const auto* failed = std::get_if<FailedOpening>(&result)) return *failed;
  const auto& proven = std::get<Proven>(result);
  return ProvenConnection{std::move(socket), proven.proof, proven.peer};
}

}  // namespace carrack::train
