#include "trainer/comm/protocol/opening.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {
namespace {

constexpr std::string_view key_text = "0123456789abcdef0123456789abcdef";

KeyBytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Nonce nonce_from(std::uint8_t first) {
  Nonce nonce;
  for (std::uint8_t& byte : nonce) byte = first++;
  return nonce;
}

template <std::size_t size>
std::string hex(const std::array<std::uint8_t, size>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

const MemberStart coordinator{{Role::coordinator, 0}, {.attempt = 3, .incarnation = 2}};
const MemberStart worker{{Role::worker, 5}, {.attempt = 3, .incarnation = 7}};
const ExpectedMember any_coordinator{coordinator.member, {.attempt = 3, .incarnation = 1}};
const std::string its_address = "fit-coordinator:7400";

AcceptedOpening accepted(std::string_view key = key_text, const MemberStart& self = coordinator, int nonce = 0,
                         const std::string& address = its_address) {
  return {bytes_of(key), {self, address}, nonce_from(static_cast<std::uint8_t>(nonce))};
}

OpenedOpening opened(std::string_view key = key_text, const ExpectedMember& expected = any_coordinator) {
  return {bytes_of(key), worker, expected, its_address, nonce_from(32)};
}

OpenedOpening::Answer answer_to(const AcceptedOpening& opening, std::string_view key = key_text) {
  return std::get<OpenedOpening::Answer>(opened(key).answer(opening.challenge()));
}

Response response_to(const AcceptedOpening& opening, std::string_view key = key_text) {
  return answer_to(opening, key).response;
}

std::string refusal(const Challenge& challenge, const ExpectedMember& expected = any_coordinator) {
  const auto answer = opened(key_text, expected).answer(challenge);
  const auto* why = std::get_if<std::string>(&answer);
  return why != nullptr ? *why : "answered";
}

// The bytes in docs/formats/wire.md.
TEST(Opening, HasTheBytesOfItsSpecification) {
  const AcceptedOpening server = accepted();
  EXPECT_EQ(hex(server.challenge()),
            "6361727261636b02000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
            "00000000000000000300000002000000");
  const Response response = response_to(server);
  EXPECT_EQ(hex(response),
            "6361727261636b02202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
            "02000000050000000300000007000000"
            "78b84d611e9c0ce56df6ebc42361a308b6e9a392eb2e0935d730347e39b141e6");
  const auto proven = server.check(response);
  ASSERT_TRUE(proven);
  EXPECT_EQ(hex(proven->proof), "b51d114c8a9dc49b312fe1112b5d486e4328569893dbcc7cc01c398e770e3a99");
  EXPECT_EQ(hex(secret_of_connection(bytes_of(key_text), proven->proof)),
            "bb4cfcd2cad8ffb9aa8babf4fb6242f55c1fdac26a10c6e76efead0b712713f1");
}

TEST(Opening, ProvesEachSideToTheOther) {
  const AcceptedOpening server = accepted();
  const OpenedOpening::Answer client = answer_to(server);
  const auto proven = server.check(client.response);
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->peer, worker);
  EXPECT_EQ(client.peer, coordinator);
  EXPECT_TRUE(client.is_proven_by(proven->proof));
}

TEST(Opening, RefusesASideThatDoesNotKnowTheKey) {
  EXPECT_FALSE(accepted().check(response_to(accepted(), "another key, as long as the one above")));
  const AcceptedOpening impostor = accepted("another key, as long as the one above");
  const OpenedOpening::Answer client = answer_to(impostor);
  const auto proven = impostor.check(response_to(impostor, "another key, as long as the one above"));
  ASSERT_TRUE(proven) << "the impostor's own opening";
  EXPECT_FALSE(client.is_proven_by(proven->proof));
}

// Whatever bit of a message is changed on the way, who the peer is included.
TEST(Opening, RefusesMessagesThatWereChanged) {
  const AcceptedOpening server = accepted();
  const Response response = response_to(server);
  const Proof proof = server.check(response)->proof;
  for (std::size_t bit = 0; bit < 8 * response.size(); ++bit) {
    Response changed = response;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    EXPECT_FALSE(server.check(changed)) << "bit " << bit;
  }
  for (std::size_t bit = 0; bit < 8 * proof.size(); ++bit) {
    const OpenedOpening::Answer client = answer_to(server);
    Proof changed = proof;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    EXPECT_FALSE(client.is_proven_by(changed)) << "bit " << bit;
  }
  for (std::size_t bit = 0; bit < 8 * server.challenge().size(); ++bit) {
    Challenge changed = server.challenge();
    changed[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    const auto answer = opened().answer(changed);
    const auto* sent = std::get_if<OpenedOpening::Answer>(&answer);
    EXPECT_FALSE(sent != nullptr && server.check(sent->response)) << "bit " << bit;
  }
}

TEST(Opening, RefusesAResponseThatWasSentBefore) {
  const Response response = response_to(accepted());
  EXPECT_TRUE(accepted().check(response));
  EXPECT_FALSE(accepted(key_text, coordinator, 1).check(response)) << "another nonce";
  const MemberStart next{coordinator.member, {.attempt = 3, .incarnation = 3}};
  EXPECT_FALSE(accepted(key_text, next).check(response)) << "meant for an earlier start";
  const MemberStart server{{Role::ps, 0}, coordinator.fence};
  EXPECT_FALSE(accepted(key_text, server).check(response)) << "meant for another member";
  EXPECT_FALSE(accepted(key_text, coordinator, 0, "fit-coordinator:74").check(response)) << "sent to another address";
}

// What one side sent, sent back to it.
TEST(Opening, RefusesItsOwnMessages) {
  const AcceptedOpening server = accepted();
  Response reflected{};
  std::ranges::copy(server.challenge(), reflected.begin());
  std::ranges::copy(server.check(response_to(server))->proof, reflected.begin() + 56);
  EXPECT_FALSE(server.check(reflected));
  const OpenedOpening::Answer client = answer_to(server);
  Proof own;
  std::ranges::copy(std::span(client.response).subspan(56), own.begin());
  EXPECT_FALSE(client.is_proven_by(own));
}

TEST(Opening, AnswersNoOtherMemberAndNoEarlierStart) {
  const auto start = [](Role role, int index, int attempt, int incarnation) {
    return accepted(key_text, {{role, index}, {attempt, incarnation}}).challenge();
  };
  const ExpectedMember expected{{Role::ps, 1}, {.attempt = 3, .incarnation = 2}};
  const std::string awaited = ", not ps 1 of attempt 3, incarnation 2 or later";
  EXPECT_EQ(refusal(start(Role::ps, 1, 3, 2), expected), "answered");
  EXPECT_EQ(refusal(start(Role::ps, 1, 3, 3), expected), "answered");
  EXPECT_EQ(refusal(start(Role::ps, 1, 4, 1), expected), "answered") << "it will say that this attempt is over";
  EXPECT_EQ(refusal(start(Role::ps, 1, 3, 1), expected), "it is ps 1 of attempt 3, incarnation 1" + awaited);
  EXPECT_EQ(refusal(start(Role::ps, 1, 2, 9), expected), "it is ps 1 of attempt 2, incarnation 9" + awaited);
  EXPECT_EQ(refusal(start(Role::ps, 0, 3, 2), expected), "it is ps 0 of attempt 3, incarnation 2" + awaited);
  EXPECT_EQ(refusal(start(Role::worker, 1, 3, 2), expected), "it is worker 1 of attempt 3, incarnation 2" + awaited);
}

TEST(Opening, AnswersNothingThatIsNoChallenge) {
  Challenge other = accepted().challenge();
  other[7] = 1;
  EXPECT_EQ(refusal(other), "it is not a member of this release") << "an earlier opening";
  EXPECT_EQ(refusal({}), "it is not a member of this release");
  Challenge role = accepted().challenge();
  role[40] = 3;
  EXPECT_EQ(refusal(role), "it is not a member of this release") << "a role that does not exist";
  for (const std::size_t number : {44, 48, 52}) {
    Challenge large = accepted().challenge();
    large[number + 3] = 0x80;
    EXPECT_EQ(refusal(large), "it is not a member of this release") << "a number of 32 bits at " << number;
  }
}

}  // namespace
}  // namespace carrack::train
