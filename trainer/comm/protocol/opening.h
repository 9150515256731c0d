// The opening of a connection between two members: a handshake of three messages, before anything else is sent. Each
// side proves that it knows the job's key, and says which process of which member it is (MemberStart). These classes
// make and check the messages; the caller sends and receives them (transport/gate.h, transport/member_connection.h).
// docs/formats/wire.md specifies the bytes, and what an opening proves and what it does not.
//
//   listening side  -> connecting side   Challenge   who I am, and a nonce
//   connecting side -> listening side    Response    who I am, a nonce, and a MAC over both messages
//   listening side  -> connecting side   Proof       another MAC over both messages
//
// Each message has a fixed size, so an unknown process cannot make a member read more bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "trainer/comm/protocol/member_start.h"

namespace carrack::train {

// The key of the job. A view: the owner of the bytes must outlive it.
using KeyBytes = std::span<const std::uint8_t>;
using Nonce = std::array<std::uint8_t, 32>;
using Challenge = std::array<std::uint8_t, 56>;
using Response = std::array<std::uint8_t, 88>;
using Proof = std::array<std::uint8_t, 32>;
using ConnectionSecret = std::array<std::uint8_t, 32>;

// The process that accepts connections, and the address to which others connect. Both sides must have exactly the same
// text for the address, since the MACs cover it.
struct AcceptingMember {
  MemberStart start;
  std::string address;
};

// The processes that the connecting side accepts at the other end: those of `member` whose fence is `least` or higher.
struct ExpectedMember {
  Member member;
  Fence least;
};

// Returns the secret of one connection, from which TLS makes its encryption keys (transport/tls_tunnels.h). If the job
// uses TLS, both sides compute it after the opening. `proof` was sent unencrypted, but nobody can compute the secret
// without the job's key. Each opening has another secret.
ConnectionSecret secret_of_connection(KeyBytes key, const Proof& proof);

// The opening on the listening side, which has accepted the connection. The bytes of `key` must outlive it. `nonce`
// must be random and used for one opening only.
class AcceptedOpening {
 public:
  AcceptedOpening(KeyBytes key, AcceptingMember self, const Nonce& nonce);

  struct Proven {
    MemberStart peer;  // the process on the other side
    Proof proof;       // send this
  };

  // The first bytes to send on the connection.
  const Challenge& challenge() const { return challenge_; }
  // Checks the answer to challenge(). Returns nullopt if it does not prove that the other side knows the key; close the
  // connection then, without another byte.
  std::optional<Proven> check(const Response& response) const;

 private:
  KeyBytes key_;
  std::string address_;
  Challenge challenge_;
};

// The opening on the connecting side, which has connected to `address`. The bytes of `key` must outlive it, but not its
// Answers. `nonce` must be random and used for one opening only.
class OpenedOpening {
 public:
  OpenedOpening(KeyBytes key, const MemberStart& self, const ExpectedMember& expected, std::string address,
                const Nonce& nonce);

  struct Answer {
    MemberStart peer;   // the process that the other side claims to be; not proven yet
    Response response;  // send this
    Proof awaited;      // the proof that the other side must send; for is_proven_by()
    // True if `proof`, which the other side has sent, proves that it knows the key and is `peer`. Send nothing but
    // `response` before that.
    bool is_proven_by(const Proof& proof) const;
  };

  // Returns the Answer. If the challenge is not from `expected`, or is not of this version of the opening, returns the
  // reason as a text for the log instead; send nothing then.
  std::variant<Answer, std::string> answer(const Challenge& challenge) const;

 private:
  KeyBytes key_;
  MemberStart self_;
  ExpectedMember expected_;
  std::string address_;
  Nonce nonce_;
};

}  // namespace carrack::train
