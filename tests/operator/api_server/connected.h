// A client of a scripted server, and what tests ask of it.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "operator/api_server/client.h"
#include "operator/error.h"
#include "tests/operator/api_server/scripted_server.h"

namespace carrack::control {

inline const SystemClock any_clock;
constexpr ClientTimeouts not_for_silence{std::chrono::seconds(10), std::chrono::milliseconds(300)};
inline const ApiRequest get{"GET", "/things"};
inline const ApiRequest post{"POST", "/things", {}, "{}"};

struct Connected {
  explicit Connected(Access access, ClientTimeouts timeouts = {})
      : credentials(std::move(access), {}, any_clock), client(credentials, timeouts) {}
  explicit Connected(const ScriptedServer& server, ClientTimeouts timeouts = {})
      : Connected(server.access(), timeouts) {}

  std::string error_of(const ApiRequest& request) {
    try {
      const ApiReply reply = client.call(request);
      return "answered " + std::to_string(reply.status) + " " + reply.body;
    } catch (const Error& error) {
      return error.what();
    }
  }
  std::string stream_error(const OnLine& on_line = [](auto) { return true; }) {
    try {
      client.stream(get, on_line, {});
      return "ended";
    } catch (const Error& error) {
      return error.what();
    }
  }

  Credentials credentials;
  Client client;
};

inline std::string at(const ScriptedServer& server, const std::string& rest) {
  return server.access().server + ": " + rest;
}

}  // namespace carrack::control
