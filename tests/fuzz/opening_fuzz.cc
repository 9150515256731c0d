// Any bytes as the messages of an opening: the first byte says whether the rest is a challenge, a response or a proof,
// and who receives it. Nobody is taken for a member without the key, and what is answered says who answers.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "tests/fuzz/must.h"
#include "trainer/comm/protocol/opening.h"

namespace carrack::train {
namespace {

using fuzz::must;

constexpr std::string_view key_text = "0123456789abcdef0123456789abcdef";
const KeyBytes key{reinterpret_cast<const std::uint8_t*>(key_text.data()), key_text.size()};
const MemberStart server{{Role::ps, 1}, {.attempt = 2, .incarnation = 3}};
const MemberStart worker{{Role::worker, 0}, {.attempt = 2, .incarnation = 1}};
const ExpectedMember expected{server.member, server.fence};

template <class Message>
Message message_of(std::span<const std::uint8_t> bytes) {
  Message message{};
  std::ranges::copy(bytes.first(std::min(bytes.size(), message.size())), message.begin());
  return message;
}

void check(std::uint8_t what, std::span<const std::uint8_t> bytes) {
  const AcceptedOpening accepted(key, {server, "ps:1"}, Nonce{1});
  const OpenedOpening opened(key, worker, expected, "ps:1", Nonce{2});
  switch (what % 3) {
    case 0: {
      const auto answered = opened.answer(message_of<Challenge>(bytes));
      const auto* answer = std::get_if<OpenedOpening::Answer>(&answered);
      if (answer == nullptr) return;
      must(answer->peer.member == expected.member && answer->peer.fence >= expected.least, "it is whom we expect");
      must(!answer->is_proven_by(Proof{}), "it has not proven it");
      return;
    }
    case 1:
      must(!accepted.check(message_of<Response>(bytes)), "a response needs the key");
      return;
    default:
      must(!std::get<OpenedOpening::Answer>(opened.answer(accepted.challenge())).is_proven_by(message_of<Proof>(bytes)),
           "a proof needs the key");
  }
}

}  // namespace
}  // namespace carrack::train

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) carrack::train::check(data[0], {data + 1, size - 1});
  return 0;
}
