// The opening of a connection between two members: each side proves to the other that it knows the job's key, and says
// which process of which member it is (MemberStart). Pure: the caller sends and receives the messages and draws the
// nonces. docs/formats/wire.md specifies the bytes, and what an opening proves and what it does not.
//
//   accepted -> opened   Challenge   who I am, and a nonce
//   opened -> accepted   Response    who I am, a nonce, and a MAC over both messages
//   accepted -> opened   Proof       another MAC over both messages
//
// Each message has a fixed size, so a stranger does not decide how many bytes of it are read.
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

// A member that accepts connections, and the address at which others reach it. Both sides must have exactly the same
// text for the address, since the MACs cover it.
struct Reached {
  MemberStart start;
  std::string address;
};

// What a side that opens a connection expects at the other end: this member, with a fence of at least `least`.
struct Expected {
  Member member;
  Fence least;
};

// Returns the secret of one connection, from which its encryption key is made. Only a holder of the job's key can
// compute it, although `proof` was sent unencrypted. Each opening has another secret, so nobody can replace the
// connection by another one.
ConnectionSecret secret_of_connection(KeyBytes key, const Proof& proof);

// The opening on the side that accepted the connection. The bytes of `key` must outlive it. `nonce` must be random and
// used for one opening only.
class AcceptedOpening {
 public:
  AcceptedOpening(KeyBytes key, Reached self, const Nonce& nonce);

  struct Proven {
    MemberStart peer;  // the process on the other side
    Proof proof;       // send this
  };

  // Send this as the first bytes of the connection.
  const Challenge& challenge() const { return challenge_; }
  // Returns nullopt if the other side does not know the key, or does not answer this challenge. Send nothing to it
  // then.
  std::optional<Proven> check(const Response& response) const;

 private:
  KeyBytes key_;
  std::string address_;
  Challenge challenge_;
};

// The opening on the side that opened the connection, to `address`. The bytes of `key` must outlive it, but not its
// Answers. `nonce` must be random and used for one opening only.
class OpenedOpening {
 public:
  OpenedOpening(KeyBytes key, const MemberStart& self, const Expected& expected, std::string address,
                const Nonce& nonce);

  struct Answer {
    MemberStart peer;   // the process that the other side claims to be; not proven yet
    Response response;  // send this
    Proof awaited;      // the proof that the other side must send
    // True if `proof`, which the other side has sent, proves that it knows the key. Send nothing else before that.
    bool is_proven_by(const Proof& proof) const;
  };

  // Returns the Answer to send. If the challenge is not from `expected`, or is not of this release, returns the reason
  // instead; send nothing then.
  std::variant<Answer, std::string> answer(const Challenge& challenge) const;

 private:
  KeyBytes key_;
  MemberStart self_;
  Expected expected_;
  std::string address_;
  Nonce nonce_;
};

}  // namespace carrack::train
