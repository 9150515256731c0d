#include "trainer/comm/protocol/opening.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "trainer/launch/spellings.h"

namespace carrack::train {
namespace {

// "carrack", and the version of the opening.
constexpr std::array<std::uint8_t, 8> preamble = {'c', 'a', 'r', 'r', 'a', 'c', 'k', 2};
constexpr std::size_t nonce_at = preamble.size();
constexpr std::size_t start_at = nonce_at + std::tuple_size_v<Nonce>;
constexpr std::size_t mac_at = std::tuple_size_v<Challenge>;  // position of the MAC in a response

// Each side proves by a MAC that it knows the key. The MACs of the two sides cover the same bytes except for these
// labels. So no side can send the other's MAC back as its own proof.
constexpr std::string_view opened_label = "carrack opening 2: opened";
constexpr std::string_view accepted_label = "carrack opening 2: accepted";
constexpr std::string_view secret_label = "carrack opening 2: secret";

std::optional<Role> role_of(std::uint32_t number) {
  for (const Role role : {Role::coordinator, Role::ps, Role::worker}) {
    if (static_cast<std::uint32_t>(wire_role(role)) == number) return role;
  }
  return std::nullopt;
}

void write(std::uint32_t number, std::uint8_t* to) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

std::uint32_t read(const std::uint8_t* from) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number |= std::uint32_t{from[i]} << (8 * i);
  return number;
}

// Returns the bytes with which a challenge or a response begins: preamble, nonce, and the sender's role, index, attempt
// and incarnation.
Challenge message(const MemberStart& start, const Nonce& nonce) {
  Challenge bytes{};
  std::ranges::copy(preamble, bytes.begin());
  std::ranges::copy(nonce, bytes.begin() + nonce_at);
  std::uint8_t* numbers = bytes.data() + start_at;
  write(static_cast<std::uint32_t>(wire_role(start.member.role)), numbers);
  write(static_cast<std::uint32_t>(start.member.index), numbers + 4);
  write(static_cast<std::uint32_t>(start.fence.attempt), numbers + 8);
  write(static_cast<std::uint32_t>(start.fence.incarnation), numbers + 12);
  return bytes;
}

// Returns which process sent this challenge or response; nullopt if the bytes do not belong to this version of the
// opening.
std::optional<MemberStart> start_in(std::span<const std::uint8_t> bytes) {
  if (!std::ranges::equal(bytes.first(preamble.size()), preamble)) return std::nullopt;
  const std::uint8_t* numbers = bytes.data() + start_at;
  const std::optional<Role> role = role_of(read(numbers));
  constexpr std::uint32_t most = std::numeric_limits<int>::max();
  if (!role || std::max({read(numbers + 4), read(numbers + 8), read(numbers + 12)}) > most) return std::nullopt;
  return MemberStart{{*role, static_cast<int>(read(numbers + 4))},
                     {static_cast<int>(read(numbers + 8)), static_cast<int>(read(numbers + 12))}};
}

std::array<std::uint8_t, 32> mac_of(KeyBytes key, std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 32> code{};
  unsigned size = 0;
  const std::uint8_t* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(), bytes.size(), code.data(), &size);
  CHECK(made != nullptr);
  CHECK_EQ(size, code.size());
  return code;
}

// `answer` is the response. Its MAC is not covered, so the response may also be passed without it. The label and the
// address have no fixed size, but no label is the beginning of another, and all bytes after the address have a fixed
// size. So different arguments never give the same bytes.
Proof mac(KeyBytes key, std::string_view label, const std::string& address, const Challenge& challenge,
          std::span<const std::uint8_t> answer) {
  std::vector<std::uint8_t> bytes(label.begin(), label.end());
  bytes.insert(bytes.end(), address.begin(), address.end());
  bytes.insert(bytes.end(), challenge.begin(), challenge.end());
  bytes.insert(bytes.end(), answer.begin(), answer.begin() + mac_at);
  return mac_of(key, bytes);
}

// Compares in constant time, so that the time of a refusal does not tell how much of a MAC was right.
bool equal(std::span<const std::uint8_t> left, const Proof& right) {
  CHECK_EQ(left.size(), right.size());
  return CRYPTO_memcmp(left.data(), right.data(), right.size()) == 0;
}

std::string text_of(const MemberStart& start) {
  return std::string(spelled(start.member.role)) + " " + std::to_string(start.member.index) + " of attempt " +
         std::to_string(start.fence.attempt) + ", incarnation " + std::to_string(start.fence.incarnation);
}

}  // namespace

ConnectionSecret secret_of_connection(KeyBytes key, const Proof& proof) {
  std::vector<std::uint8_t> bytes(secret_label.begin(), secret_label.end());
  bytes.insert(bytes.end(), proof.begin(), proof.end());
  return mac_of(key, bytes);
}

AcceptedOpening::AcceptedOpening(KeyBytes key, AcceptingMember self, const Nonce& nonce)
    : key_(key), address_(std::move(self.address)), challenge_(message(self.start, nonce)) {}

std::optional<AcceptedOpening::Proven> AcceptedOpening::check(const Response& response) const {
  const std::optional<MemberStart> peer = start_in(response);
  if (!peer) return std::nullopt;
  const Proof awaited = mac(key_, opened_label, address_, challenge_, response);
  if (!equal(std::span(response).subspan(mac_at), awaited)) return std::nullopt;
  return Proven{*peer, mac(key_, accepted_label, address_, challenge_, response)};
}

OpenedOpening::OpenedOpening(KeyBytes key, const MemberStart& self, const ExpectedMember& expected, std::string address,
                             const Nonce& nonce)
    : key_(key), self_(self), expected_(expected), address_(std::move(address)), nonce_(nonce) {}

std::variant<OpenedOpening::Answer, std::string> OpenedOpening::answer(const Challenge& challenge) const {
  const std::optional<MemberStart> peer = start_in(challenge);
  if (!peer) return "it is not a member of this release";
  if (peer->member != expected_.member || peer->fence < expected_.least) {
    return "it is " + text_of(*peer) + ", not " + text_of({expected_.member, expected_.least}) + " or later";
  }
  const Challenge own = message(self_, nonce_);
  Answer answer{*peer, {}, mac(key_, accepted_label, address_, challenge, own)};
  std::ranges::copy(own, answer.response.begin());
  std::ranges::copy(mac(key_, opened_label, address_, challenge, own), answer.response.begin() + mac_at);
  return answer;
}

bool OpenedOpening::Answer::is_proven_by(const Proof& proof) const {
  return equal(proof, awaited);
}

}  // namespace carrack::train
