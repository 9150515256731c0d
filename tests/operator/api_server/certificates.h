// Certificates that tests make for themselves, in PEM, each with the key that it is for.
#pragma once

#include <optional>
#include <string>

namespace carrack::control {

struct Certified {
  std::string certificate, key;
};

struct Wanted {
  std::string subject;        // its common name
  std::string names;          // as in an OpenSSL configuration: IP:127.0.0.1,DNS:here; empty: none
  long valid_seconds = 3600;  // from now; below zero: it is over
  bool authority = false;     // may sign others
};

// Signed by `issuer`, or by itself.
Certified certified(const Wanted& wanted, const std::optional<Certified>& issuer = {});

}  // namespace carrack::control
