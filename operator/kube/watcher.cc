#include "operator/kube/watcher.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "operator/error.h"
#include "operator/kube/calls.h"
#include "operator/kube/json_path.h"
#include "operator/kube/objects.h"

namespace carrack::control {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr int not_found = 404;
constexpr int gone = 410;
// Each watch lasts a random time from this to twice this, so that not all watches end at once.
constexpr std::chrono::seconds watch_duration_min{300};
constexpr std::chrono::seconds empty_watch_min{10};  // a shorter watch without an event counts as a failure
constexpr std::chrono::seconds watch_min{1};         // a shorter watch with events counts as a failure, too
constexpr milliseconds pause_first{500};
constexpr milliseconds pause_max{30'000};

}  // namespace

Listing listing_in(const ApiReply& reply, const ApiRequest& request) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Blame::platform, request.method + " " + request.path + ": " + why);
  };
  if (!is_success(reply)) {
    const bool no_definition = reply.status == not_found && request.path.find("/carrack.dev/") != std::string::npos;
    refuse(status_of(reply).message +
           (no_definition ? "; the cluster has no API TrainingJob: kubectl apply -f crds/trainingjobs.yaml" : ""));
  }
  json list = parse_object(reply.body);
  Listing listing{{}, version_of(list), text_at(list, {"metadata", "continue"})};
  const auto items = list.is_object() ? list.find("items") : list.end();
  // The server writes null for an empty list of metadata.
  const bool is_list = list.is_object() && items != list.end() && (items->is_array() || items->is_null());
  if (!is_list || listing.version == 0) refuse("the reply is not a list");
  for (json& item : *items) listing.items.push_back(std::move(item));
  return listing;
}

WatchFailure restored_failure(Kind kind, const std::string& name_space, Version before, Version now) {
  return {kind, name_space, "Restored",
          "the server is at version " + std::to_string(now) + ", and was at " + std::to_string(before) +
              " before: it was restored to an older state"};
}

void sleep_for(milliseconds time, const std::stop_token& stop) {
  // std::condition_variable_any can wait for a stop_token, so the wait ends when `stop` is requested.
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, time, [] { return false; });
}

Watcher::Watcher(Credentials& credentials, Kind kind, std::string name_space, std::uint32_t seed,
                 WatchHandlers watch_handlers)
    : client_(credentials),
      kind_(kind),
      name_space_(std::move(name_space)),
      handlers_(std::move(watch_handlers)),
      random_(seed) {}

void Watcher::list() {
  Listing page;
  bool is_first = true;
  do {
    const ApiRequest request = list_call(kind_, name_space_, page.continue_token);
    const ApiReply reply = client_.call(request);
    if (reply.status == gone && !is_first) {  // The token of the next page has expired: start the list again.
      page = {};
      is_first = true;
      continue;
    }
    page = listing_in(reply, request);
    handlers_.page(page.items, is_first);
    is_first = false;
  } while (is_first || !page.continue_token.empty());
  if (page.version < version_) handlers_.failed(restored_failure(kind_, name_space_, version_, page.version));
  version_ = page.version;
  handlers_.listed(version_);
  note_sign();
}

milliseconds Watcher::silent_for() const {
  return std::chrono::floor<milliseconds>(std::chrono::steady_clock::now() - last_sign_.load());
}

void Watcher::run(const std::stop_token& stop) {
  bool knows_all = true;
  while (!stop.stop_requested()) {
    try {
      if (!knows_all) list();
      knows_all = true;
      knows_all = watch(stop);
    } catch (const std::exception& failure) {
      if (!stop.stop_requested()) handlers_.failed({kind_, name_space_, "Error", failure.what()});
      ++failures_;
    }
    if (failures_ > 0) pause(stop);
  }
}

// Watches until the server ends the stream or is silent for too long. Returns false if events were missed, so that a
// new list is needed.
bool Watcher::watch(const std::stop_token& stop) {
  std::uniform_int_distribution<long> extra(0, watch_duration_min.count());
  const std::chrono::seconds lasting(watch_duration_min.count() + extra(random_));
  const ApiRequest request = watch_call(kind_, name_space_, version_, lasting);
  const auto begin = std::chrono::steady_clock::now();
  bool has_events = false;
  std::optional<ApiStatus> failure;
  const ApiReply reply = client_.stream(
      request,
      [&](std::string_view line) {
        failure = handle_event(line);
        if (!failure) failures_ = 0;  // An event ends the row of failures, whatever comes later.
        has_events = has_events || !failure;
        return !failure;
      },
      stop);
  if (reply.status != 0 && !is_success(reply)) failure = status_of(reply);
  if (failure && (failure->reason == "Expired" || failure->reason == "Gone")) {
    handlers_.failed({kind_, name_space_, "Expired", failure->message});
    return false;
  }
  if (failure) throw Error(Blame::platform, "watch of " + request.path + ": " + failure->message);
  if (stop.stop_requested()) return true;
  // A brief watch counts as a failure, so that a pause follows: the server may end every watch immediately.
  const bool is_brief = std::chrono::steady_clock::now() - begin < (has_events ? watch_min : empty_watch_min);
  failures_ = is_brief ? failures_ + 1 : 0;
  if (!has_events) check_not_restored();
  return true;
}

// Reads the server's version. A server that was restored to an older version reports no error to a watch from a later
// version: the watch is only silent.
void Watcher::check_not_restored() {
  const ApiRequest request = list_version_call(kind_, name_space_);
  const Version now = listing_in(client_.call(request), request).version;
  note_sign();
  if (now < version_) handlers_.failed(restored_failure(kind_, name_space_, version_, now));
}

// Handles one line of the stream. Returns an error if the line reports one, or is not an event.
std::optional<ApiStatus> Watcher::handle_event(std::string_view line) {
  const json event = parse_object(line);
  const std::string type = text_at(event, {"type"});
  const json& object = json_at(event, {"object"});
  if (!object.is_object()) return ApiStatus{"", "a line of the watch is not an event"};
  if (type == "ERROR") return ApiStatus{text_at(object, {"reason"}), text_at(object, {"message"})};
  note_sign();
  const Version version = version_of(object);
  if (type == "BOOKMARK") {
    handlers_.bookmark(version);
  } else if (type == "DELETED") {
    handlers_.deleted(object);
  } else {
    handlers_.changed(object);
  }
  // This comes last: if a handler throws, the next watch begins at the old version, so it gets the event again.
  version_ = std::max(version_, version);
  return std::nullopt;
}

void Watcher::pause(const std::stop_token& stop) {
  const int doublings = std::min(failures_ - 1, 6);
  const milliseconds pause_limit = std::min(pause_max, pause_first * (1 << doublings));
  std::uniform_int_distribution<milliseconds::rep> pause(pause_limit.count() / 2, pause_limit.count());
  sleep_for(milliseconds(pause(random_)), stop);
}

}  // namespace carrack::control
