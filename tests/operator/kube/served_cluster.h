// A scripted API server with a job and its objects, and the cluster that is connected to it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "operator/codec/job.h"
#include "operator/error.h"
#include "operator/kube/kube_cluster.h"
#include "tests/operator/api_server/connected.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {

using nlohmann::json;

inline const PodSettings pods_run{"image", {}};

inline json object_of(json object, const std::string& version) {
  object["metadata"]["namespace"] = "team";
  object["metadata"]["resourceVersion"] = version;
  return object;
}

inline json job_object(const JobSpec& spec) {
  return object_of(json::parse(to_json(job_node(spec))), "5");
}

inline json pod_object(const JobSpec& spec, const train::Member& member, const train::Fence& fence) {
  json pod = object_of(pod_manifest(spec, "team", process_of(spec, member, fence), pods_run), "6");
  pod["status"] = {{"phase", "Running"},
                   {"podIP", "10.0.0." + std::to_string(fence.incarnation)},
                   {"containerStatuses", {{{"name", "trainer"}, {"state", {{"running", json::object()}}}}}}};
  return pod;
}

// Has these objects, watches that bring nothing, and an answer to every change.
class Server {
 public:
  // By the last part of a path. Once the server was sent a request, change() alone may change them.
  std::map<std::string, std::vector<json>> objects;

  std::atomic<std::chrono::milliseconds> changes_take{};

  explicit Server(std::vector<json> jobs = {job_object(some_job())}) { objects["trainingjobs"] = std::move(jobs); }

  void be_at(const std::string& version) {
    const std::lock_guard lock(mutex_);
    version_ = version;
  }
  void change(const std::string& plural, std::vector<json> all) {
    const std::lock_guard lock(mutex_);
    objects[plural] = std::move(all);
  }
  void change_jobs(std::vector<json> jobs) { change("trainingjobs", std::move(jobs)); }
  // Lists nothing of this namespace from now on, until another one is given.
  void refuse(const std::string& name_space) {
    const std::lock_guard lock(mutex_);
    refused_ = "/namespaces/" + name_space + "/";
  }
  // To every change, from now on.
  void answer(int status, const json& body) {
    const std::lock_guard lock(mutex_);
    answer_ = reply_text(status, body.dump());
  }

  // Heads and bodies, of those that begin so.
  std::vector<std::string> requests(const std::string& method) const {
    std::vector<std::string> found;
    for (const std::string& request : scripted_.requests()) {
      if (request.starts_with(method + " ")) found.push_back(request);
    }
    return found;
  }

  const ScriptedServer& scripted() const { return scripted_; }

 private:
  void serve(ScriptedServer& self, tests::Connection& connection) {
    while (const auto request = self.take(connection)) {
      if (request->find("watch=true") != request->npos) {
        connection.write(chunked_head);
        return ScriptedServer::be_silent(connection);
      }
      if (!request->starts_with("GET ")) std::this_thread::sleep_for(changes_take.load());
      const std::lock_guard lock(mutex_);
      const bool refuses = !refused_.empty() && request->find(refused_) != request->npos;
      const json no = {{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "may not list"}};
      if (refuses) {
        connection.write(reply_text(403, no.dump()));
      } else {
        connection.write(request->starts_with("GET ") ? list(*request) : answer_);
      }
    }
  }

  std::string list(const std::string& request) const {
    const std::string path = request.substr(4, request.find_first_of("? ", 4) - 4);
    const auto found = objects.find(path.substr(path.rfind('/') + 1));
    const json all = {{"metadata", {{"resourceVersion", version_}}},
                      {"items", found == objects.end() ? json::array() : json(found->second)}};
    return reply_text(200, all.dump());
  }

  std::mutex mutex_;  // of what follows
  std::string version_ = "9";
  std::string refused_;
  std::string answer_ = reply_text(201, R"({"metadata": {"resourceVersion": "10"}})");
  ScriptedServer scripted_{[this](auto& self, auto& connection, int) { serve(self, connection); }};
};

class KubeClusterTest : public testing::Test {
 protected:
  KubeCluster& cluster() {
    if (!us_) {
      us_.emplace(server_.scripted());
      cluster_.emplace(
          us_->credentials, any_clock,
          KubeSettings{.namespaces = namespaces_,
                       .pods = pods_,
                       .on_watch_failure = [this](const WatchFailure& failure) { note_failure(failure); },
                       .on_warning = [this](const std::string& warning) { warnings_.push_back(warning); }});
    }
    return *cluster_;
  }

  std::vector<std::string> shown() {
    std::vector<std::string> names;
    for (const auto& process : cluster().observe("team/line", Reading::cached).observed.processes) {
      names.push_back(process.name);
    }
    return names;
  }

  // The requests of that method, once there are so many.
  std::vector<std::string> requests(const std::string& method, std::size_t count) {
    for (int tries = 0; tries < 200 && server_.requests(method).size() < count; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(server_.requests(method).size(), count);
    return server_.requests(method);
  }
  // Those by which the cluster has written new events.
  std::vector<std::string> events(std::size_t count) { return requests("POST", count); }

  std::vector<std::string> failures() {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

  JobSpec spec_ = some_job();
  Server server_;
  PodSettings pods_ = pods_run;
  std::vector<std::string> namespaces_;
  std::vector<std::string> warnings_;

 private:
  void note_failure(const WatchFailure& failure) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(failure.reason + (failure.name_space.empty() ? "" : " in " + failure.name_space));
  }

  std::mutex mutex_;
  std::vector<std::string> failures_;
  std::optional<Connected> us_;
  std::optional<KubeCluster> cluster_;
};

}  // namespace carrack::control
