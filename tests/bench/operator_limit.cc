// bench_operator_limit NAMESPACE IMAGE CONNECTIONS STATUS_WRITES < JOBS: what an API server takes from a client that
// knows beforehand all that the operator would decide. For each job, a TrainingJob in JSON a line: the job, then its
// status and its objects as the operator writes them, then its status again and again. Each of the connections takes
// the next job that none has taken, and sends one request at a time.
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "operator/api_server/client.h"
#include "operator/core/reconcile.h"
#include "operator/kube/calls.h"
#include "operator/kube/objects.h"

namespace {

using namespace carrack::control;

nlohmann::json done(Client& client, const ApiRequest& request) {
  const ApiReply reply = client.call(request);
  if (!is_success(reply)) throw std::runtime_error(request.path + ": " + status_of(reply).message);
  return parse_object(reply.body);
}

struct Work {
  std::string name_space;
  PodSettings pods;
  int status_writes = 0;
  std::vector<std::string> jobs;
};

void write_job(Client& client, const Work& work, const std::string& manifest) {
  const auto created =
      done(client, {.method = "POST",
                    .path = "/apis/carrack.dev/v1alpha1/namespaces/" + work.name_space + "/trainingjobs",
                    .body = manifest});
  const auto seen = read_job(created);
  if (!seen) throw std::runtime_error("the server's TrainingJob cannot be read");
  const JobKey key{work.name_space, seen->name};
  const JobSpec& spec = seen->value.spec;
  Decision decision = reconcile(spec, {}, {}, {}, [](const auto&) { return std::vector<Problem>(); });
  StoredStatus stored{std::to_string(seen->version), {}, {}};
  const auto put_status = [&] {
    stored.version = std::to_string(version_of(done(client, status_call(key, stored, decision.status))));
    stored.status = decision.status;
  };
  put_status();
  for (const Action& action : decision.actions) done(client, action_call(key, spec, action, work.pods));
  for (int written = 1; written < work.status_writes; ++written) {
    decision.status.progress = {.step = written, .steps = work.status_writes};  // Without a change nothing is stored.
    put_status();
  }
}

EnvironmentMap environment() {
  const char* kubeconfig = std::getenv("KUBECONFIG");
  return {{"KUBECONFIG", kubeconfig ? kubeconfig : ""}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: bench_operator_limit NAMESPACE IMAGE CONNECTIONS STATUS_WRITES < JOBS\n";
    return 2;
  }
  Work work{argv[1], {.image = argv[2], .environment = {}}, std::stoi(argv[4]), {}};
  for (std::string line; std::getline(std::cin, line);) work.jobs.push_back(line);
  const SystemClock clock;
  Credentials credentials(find_access(environment()), environment(), clock);
  std::atomic<std::size_t> taken = 0;
  std::atomic<bool> failed = false;
  std::vector<std::jthread> connections;
  for (int number = 0; number < std::stoi(argv[3]); ++number) {
    connections.emplace_back([&] {
      try {
        Client client(credentials);
        for (std::size_t next = taken++; next < work.jobs.size(); next = taken++) {
          write_job(client, work, work.jobs[next]);
        }
      } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        failed = true;
      }
    });
  }
  connections.clear();
  return failed ? 1 : 0;
}
