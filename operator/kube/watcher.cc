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
constexpr std::chrono::seconds watch_at_least{300};
constexpr std::chrono::seconds watched_for_long{10};
constexpr milliseconds first_pause{500};
constexpr milliseconds longest_pause{30'000};

}  // namespace

Listing listing_in(const ApiReply& reply, const ApiRequest& request) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Blame::platform, request.method + " " + request.path + ": " + why);
  };
  if (!is_success(reply)) {
    const bool no_definition = reply.status == not_found && request.path.find("/carrack.dev/") != std::string::npos;
    refuse(status_of(reply).message +
           (no_definition ? "; the cluster does not know TrainingJobs, kubectl apply -f crds/trainingjobs.yaml" : ""));
  }
  json list = parsed(reply.body);
  Listing listing{{}, version_of(list), text_at(list, {"metadata", "continue"})};
  const auto items = list.is_object() ? list.find("items") : list.end();
  // The server writes an empty list as null where it sends metadata alone.
  const bool is_list = list.is_object() && items != list.end() && (items->is_array() || items->is_null());
  if (!is_list || listing.version == 0) refuse("the reply is no list");
  for (json& item : *items) listing.items.push_back(std::move(item));
  return listing;
}

WatchFailure restored(Kind kind, Version before, Version now) {
  return {kind, "Restored",
          "the server is at version " + std::to_string(now) + ", and was at " + std::to_string(before) +
              " before: it was restored to an older state"};
}

Watcher::Watcher(Credentials& credentials, Kind kind, std::string name_space, std::uint32_t seed, Sight sight)
    : client_(credentials), kind_(kind), name_space_(std::move(name_space)), sight_(std::move(sight)), random_(seed) {}

void Watcher::list() {
  Listing some;
  bool begins = true;
  do {
    const ApiRequest request = list_call(kind_, name_space_, some.continued);
    const ApiReply reply = client_.call(request);
    if (reply.status == gone && !begins) {  // It took too long: all again.
      some = {};
      begins = true;
      continue;
    }
    some = listing_in(reply, request);
    sight_.page(some.items, begins);
    begins = false;
  } while (begins || !some.continued.empty());
  if (some.version < version_) sight_.failed(restored(kind_, version_, some.version));
  version_ = some.version;
  sight_.listed(version_);
}

void Watcher::run(const std::stop_token& stop) {
  bool knows_all = true;
  while (!stop.stop_requested()) {
    try {
      if (!knows_all) list();
      knows_all = true;
      knows_all = watch(stop);
    } catch (const std::exception& failure) {
      if (!stop.stop_requested()) sight_.failed({kind_, "Error", failure.what()});
      ++failures_;
    }
    if (failures_ > 0) pause(stop);
  }
}

// Until the server ends it, or is silent for long; false where it no longer knows all that happened.
bool Watcher::watch(const std::stop_token& stop) {
  std::uniform_int_distribution<long> longer(0, watch_at_least.count());
  const std::chrono::seconds lasting(watch_at_least.count() + longer(random_));
  const ApiRequest request = watch_call(kind_, name_space_, version_, lasting);
  const auto begun = std::chrono::steady_clock::now();
  bool anything = false;
  std::optional<ApiStatus> failure;
  const ApiReply reply = client_.stream(
      request,
      [&](std::string_view line) {
        failure = take(line);
        if (!failure) failures_ = 0;  // however the stream ends
        anything = anything || !failure;
        return !failure;
      },
      stop);
  if (reply.status != 0 && !is_success(reply)) failure = status_of(reply);
  if (failure && (failure->reason == "Expired" || failure->reason == "Gone")) {
    sight_.failed({kind_, "Expired", failure->message});
    return false;
  }
  if (failure) throw Error(Blame::platform, "watch of " + request.path + ": " + failure->message);
  if (anything || stop.stop_requested()) return true;
  // A server that ends every watch at once must not be asked without rest.
  const bool brief = std::chrono::steady_clock::now() - begun < watched_for_long;
  failures_ = brief ? failures_ + 1 : 0;
  expect_no_older_state();
  return true;
}

// A watch from a version that the server has not come to is silent, and no error.
void Watcher::expect_no_older_state() {
  const ApiRequest request = newest_call(kind_, name_space_);
  const Version now = listing_in(client_.call(request), request).version;
  if (now < version_) sight_.failed(restored(kind_, version_, now));
}

// One event; what it says where it is none.
std::optional<ApiStatus> Watcher::take(std::string_view line) {
  const json event = parsed(line);
  const std::string type = text_at(event, {"type"});
  const json& object = json_at(event, {"object"});
  if (!object.is_object()) return ApiStatus{"", "a line that is no event"};
  if (type == "ERROR") return ApiStatus{text_at(object, {"reason"}), text_at(object, {"message"})};
  const Version version = version_of(object);
  if (type == "BOOKMARK") {
    sight_.bookmark(version);
  } else if (type == "DELETED") {
    sight_.deleted(object);
  } else {
    sight_.changed(object);
  }
  version_ = std::max(version_, version);  // Only now: where taking it in failed, it comes again.
  return std::nullopt;
}

void Watcher::pause(const std::stop_token& stop) {
  const int doublings = std::min(failures_ - 1, 6);
  const milliseconds most = std::min(longest_pause, first_pause * (1 << doublings));
  std::uniform_int_distribution<milliseconds::rep> some(most.count() / 2, most.count());
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, milliseconds(some(random_)), [] { return false; });
}

}  // namespace carrack::control
