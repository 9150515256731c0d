// The opening of a connection between two members: each proves to the other that it knows the job's key, and says which
// start of which member it is. Pure: the caller carries the messages and draws the nonces. docs/formats/wire.md
// specifies the bytes, and says what an opening proves and what it does not.
//
//   accepted -> opened   Challenge   who I am, and a nonce
//   opened -> accepted   Response    who I am, a nonce, and a MAC over both messages
//   accepted -> opened   Proof       another MAC over both messages
//
// Each message has a fixed size, so a stranger decides nothing about how much of it is read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "trainer/comm/protocol/member_start.h"

namespace carrack::train {

using KeyBytes = std::span<const std::uint8_t>;
using Nonce = std::array<std::uint8_t, 32>;
using Challenge = std::array<std::uint8_t, 56>;
using Response = std::array<std::uint8_t, 88>;
using Proof = std::array<std::uint8_t, 32>;
using ConnectionSecret = std::array<std::uint8_t, 32>;

// A member that accepts connections, and the address at which others reach it. Both sides must have the same text of
// it.
struct Reached {
  MemberStart start;
  std::string address;
};

// Whom a side that opens a connection wants to reach: this member, and no start of it below this fence.
struct Expected {
  Member member;
  Fence least;
};

// What the two sides of one opening alone know, by its proof, which anybody may have seen: the key of its encryption.
// Another opening has another one, so no connection can be put in place of the one that was opened.
ConnectionSecret secret_of_connection(KeyBytes key, const Proof& proof);

// The opening of the side that accepted the connection. The key must outlive it; the nonce must be random, and used
// once.
class AcceptedOpening {
 public:
  AcceptedOpening(KeyBytes key, Reached self, const Nonce& nonce);

  struct Proven {
    MemberStart peer;
    Proof proof;  // to be sent
  };

  // To be sent as the first bytes of the connection.
  const Challenge& challenge() const { return challenge_; }
  // nullopt unless the other side knows the key and answers this challenge. Nothing is to be sent to it then.
  std::optional<Proven> check(const Response& response) const;

 private:
  KeyBytes key_;
  std::string address_;
  Challenge challenge_;
};

// The opening of the side that opened the connection, to `address`. The same holds for key and nonce.
class OpenedOpening {
 public:
  OpenedOpening(KeyBytes key, const MemberStart& self, const Expected& expected, std::string address,
                const Nonce& nonce);

  struct Answer {
    MemberStart peer;   // who the other side says that it is
    Response response;  // to be sent
    Proof awaited;
    // Whether the other side knows the key. Only then may anything else be sent.
    bool is_proven_by(const Proof& proof) const;
  };

  // The reason for which nothing may be sent if the other side does not even say that it is the one that is wanted.
  std::variant<Answer, std::string> answer(const Challenge& challenge) const;

 private:
  KeyBytes key_;
  MemberStart self_;
  Expected expected_;
  std::string address_;
  Nonce nonce_;
};

}  // namespace carrack::train
