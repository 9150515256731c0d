// Watcher lists all Kubernetes objects of one kind and then watches them, like the reflector of client-go. It passes
// each list and each event to callbacks, and stores no objects itself; NamespaceView does. It lists again if the server
// no longer has the events since the last list. It reports other failures to a callback, too, and tries
// again after a pause of up to 30 s.
#pragma once

#include <atomic>
#include <chrono>
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

// Why a watch failed. `reason` is one of:
// - Expired: the server no longer has the events. The watcher continues by itself, with a new list.
// - Error: any other failure. The watcher tries again by itself.
// - Restored: the version of the server has decreased, as after a restore from a backup. What the watcher has reported
//   may be wrong, and it does not list again by itself: carrack-operator then exits.
struct WatchFailure {
  Kind kind = Kind::job;
  std::string name_space;  // empty: all
  std::string reason;      // Expired, Error or Restored
  std::string error;
};

// Returns the WatchFailure with the reason Restored, for a server whose version was `before` and is `now`.
WatchFailure restored_failure(Kind kind, const std::string& name_space, Version before, Version now);

// Sleeps for `time`, but returns early once `stop` is requested.
void sleep_for(std::chrono::milliseconds time, const std::stop_token& stop);

// These functions are called on the thread that calls list() or run(). None may be empty. If one throws during run(),
// the watch has failed and is retried; `failed` must not throw.
struct WatchHandlers {
  // Gets a page of a list. If `is_first`, it must drop the pages of an earlier list that was not completed.
  std::function<void(const std::vector<nlohmann::json>& objects, bool is_first)> page;
  // The list is complete, and shows the objects at `version`.
  std::function<void(Version version)> listed;
  // The object was added or modified.
  std::function<void(const nlohmann::json& object)> changed;
  // The object was deleted, or has lost the label that the watch selects. `object` is its last state.
  std::function<void(const nlohmann::json& object)> deleted;
  // The watch has sent all events up to `version`.
  std::function<void(Version version)> bookmark;
  std::function<void(const WatchFailure& failure)> failed;
};

class Watcher {
 public:
  // An empty `name_space` means all namespaces. `seed` is for the random pauses before retries. `credentials` must
  // outlive this.
  Watcher(Credentials& credentials, Kind kind, std::string name_space, std::uint32_t seed,
          WatchHandlers watch_handlers);

  // Lists all objects once, and blocks until that is done. Throws Error if that fails. Do not call it during run().
  void list();

  // Watches for changes after the last list. Blocks until `stop` is requested. Failures go to WatchHandlers::failed.
  // Call list() first.
  void run(const std::stop_token& stop);

  // The time since the last list, event or bookmark, or since this was constructed. May be called from any thread.
  std::chrono::milliseconds silent_for() const;

 private:
  bool watch(const std::stop_token& stop);
  void check_not_restored();
  std::optional<ApiStatus> handle_event(std::string_view line);
  void pause(const std::stop_token& stop);
  void note_sign() { last_sign_ = std::chrono::steady_clock::now(); }

  Client client_;
  const Kind kind_;
  const std::string name_space_;
  const WatchHandlers handlers_;
  Version version_ = 0;  // all events up to it have been handled
  int failures_ = 0;     // in a row
  std::atomic<std::chrono::steady_clock::time_point> last_sign_ = std::chrono::steady_clock::now();
  std::mt19937 random_;
};

// A page of a list of objects.
struct Listing {
  std::vector<nlohmann::json> items;
  Version version = 0;
  std::string continue_token;  // the token of the next page; empty after the last
};
// Decodes the reply to a list request. Throws Error with Blame::platform if the reply is not a success or not a list.
// `request` is the request that was sent, for messages.
Listing listing_in(const ApiReply& reply, const ApiRequest& request);

}  // namespace carrack::control
