// Keeps up with all objects of one kind: lists them once, then watches from there, for as long as it runs; lists them
// again where the server no longer knows what happened since. What goes wrong on the way is told and tried again.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "operator/api_server/client.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// Why a watch was begun again, or could not be.
struct WatchFailure {
  Kind kind = Kind::job;
  std::string reason;  // one of few words: Expired, Error, or Restored: what is known never was, and must be forgotten
  std::string why;
};

// Versions only grow, but where the server was given an older state.
WatchFailure restored(Kind kind, Version before, Version now);

// Where what it sees goes.
struct Sight {
  // A list, page by page: `begins` with the first, which takes back what came of a list that did not end.
  std::function<void(const std::vector<nlohmann::json>& some, bool begins)> page;
  // That was all there was at `version`.
  std::function<void(Version version)> listed;
  std::function<void(const nlohmann::json& object)> changed;
  std::function<void(const nlohmann::json& object)> deleted;
  std::function<void(Version version)> bookmark;
  std::function<void(const WatchFailure& failure)> failed;
};

class Watcher {
 public:
  // `seed` is of the pauses before something is tried again.
  Watcher(Credentials& credentials, Kind kind, std::string name_space, std::uint32_t seed, Sight sight);

  // All there is now. Throws Error where it cannot be had.
  void list();

  // Follows what happens from there until it is asked to stop.
  void run(const std::stop_token& stop);

 private:
  bool watch(const std::stop_token& stop);
  void expect_no_older_state();
  std::optional<ApiStatus> take(std::string_view line);
  void pause(const std::stop_token& stop);

  Client client_;
  const Kind kind_;
  const std::string name_space_;
  const Sight sight_;
  Version version_ = 0;  // what happened up to here is known
  int failures_ = 0;     // in a row
  std::mt19937 random_;
};

// What the server has of some objects, and when. Throws what it says instead.
struct Listing {
  std::vector<nlohmann::json> items;
  Version version = 0;
  std::string continued;  // there is more: what to ask for it with
};
Listing listing_in(const ApiReply& reply, const ApiRequest& request);

}  // namespace carrack::control
