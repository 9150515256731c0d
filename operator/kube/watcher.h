// Watcher follows all objects of one kind: it lists them, then watches for changes after the version of the list. It
// lists them again if the server no longer has the events since then. Failures are reported, and retried after a pause.
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

// Why a watch failed, in `reason`. After Expired and Error the watcher continues by itself; after Expired it lists all
// objects again. Restored means that the version of the server has decreased, as after a restore from a backup. The
// watcher then does not list again, and what it has reported may be wrong: the caller should make a new Watcher.
struct WatchFailure {
  Kind kind = Kind::job;
  std::string name_space;  // empty: all
  std::string reason;      // Expired, Error or Restored
  std::string error;
};

// Returns the failure of a server whose version has decreased, as after a restore from a backup. What was known of its
// objects may then be wrong.
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
  std::function<void(const nlohmann::json& object)> changed;
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
  std::string continued;  // the token of the next page; empty after the last
};
// Reads a page. Throws Error with Blame::platform if the reply is not a success or not a list. `request` is the request
// that was sent, for messages.
Listing listing_in(const ApiReply& reply, const ApiRequest& request);

}  // namespace carrack::control
