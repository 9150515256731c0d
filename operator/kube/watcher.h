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

#include "operator/kube/client.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// Why a watch was begun again, or could not be.
struct WatchFailure {
  Kind kind = Kind::job;
  std::string reason;  // one of few words: Expired, or Error
  std::string why;
};

// Where what it sees goes.
struct Sight {
  std::function<void(std::vector<nlohmann::json> all, Version version)> listed;
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

// The objects of a kind, page by page, and their version. Throws Error where they cannot be had.
struct Listing {
  std::vector<nlohmann::json> items;
  Version version = 0;
};
Listing list_all(Client& client, Kind kind, const std::string& name_space);

// Throws what the server says instead of a success.
nlohmann::json object_in(const ApiReply& reply, const ApiRequest& request);

}  // namespace carrack::control
