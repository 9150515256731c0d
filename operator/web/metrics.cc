#include "operator/web/metrics.h"

#include <fstream>
#include <sstream>

namespace carrack::control {
namespace {

void increment(Family& family, const Labels& labels, double by = 1) {
  std::get<double>(family.samples.try_emplace(labels, 0.0).first->second) += by;
}

void observe(Family& family, const Labels& labels, Metrics::Seconds duration) {
  static const Histogram empty({0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});
  std::get<Histogram>(family.samples.try_emplace(labels, empty).first->second).observe(duration.count());
}

}  // namespace

Metrics::Metrics(const std::string& version, Moment started) {
  build_info_.samples[{{"version", version}}] = 1.0;
  start_.samples[{}] = Seconds(started.time_since_epoch()).count();
  set_queue_depth(0);
  count_losses({});
}

void Metrics::count_reconcile(const std::string& result, Seconds duration) {
  const MutexLock lock(mutex_);
  increment(reconciles_, {{"result", result}});
  observe(reconcile_seconds_, {}, duration);
}

void Metrics::count_api_request(const std::string& verb, const std::string& resource, std::optional<int> code,
                                Seconds duration) {
  const MutexLock lock(mutex_);
  increment(requests_, {{"verb", verb}, {"resource", resource}, {"code", code ? std::to_string(*code) : "none"}});
  observe(request_seconds_, {{"verb", verb}}, duration);
}

void Metrics::count_watch_restart(const std::string& resource, const std::string& reason) {
  const MutexLock lock(mutex_);
  increment(restarts_, {{"resource", resource}, {"reason", reason}});
}

void Metrics::set_queue_depth(std::size_t depth) {
  const MutexLock lock(mutex_);
  queue_depth_.samples[{}] = static_cast<double>(depth);
}

void Metrics::set_jobs(const std::map<std::string, std::size_t>& by_state) {
  const MutexLock lock(mutex_);
  auto& samples = jobs_.samples;
  samples.clear();
  for (const auto& [state, count] : by_state) samples[{{"state", state}}] = static_cast<double>(count);
}

void Metrics::count_losses(const Losses& losses) {
  const MutexLock lock(mutex_);
  increment(job_restarts_, {}, static_cast<double>(losses.restarts));
  increment(job_disruptions_, {}, static_cast<double>(losses.disruptions));
  increment(job_lost_steps_, {}, static_cast<double>(losses.steps));
}

void Metrics::set_watch_ages(const std::vector<WatchAge>& ages) {
  const MutexLock lock(mutex_);
  watch_ages_.samples.clear();
  for (const WatchAge& one : ages) {
    watch_ages_.samples[{{"resource", one.resource}, {"namespace", one.name_space}}] = one.age.count();
  }
}

std::string Metrics::text() const {
  std::vector<Family> families;
  {
    const MutexLock lock(mutex_);
    families = {
        build_info_, jobs_,       queue_depth_,  reconciles_,      reconcile_seconds_, requests_, request_seconds_,
        restarts_,   watch_ages_, job_restarts_, job_disruptions_, job_lost_steps_,    start_};
  }
  std::ostringstream process_status;
  process_status << std::ifstream("/proc/self/status").rdbuf();
  if (const auto bytes = resident_bytes_in(process_status.str())) {
    const std::string help = "Memory that this process has in RAM.";
    families.push_back({"process_resident_memory_bytes", "gauge", help, {{{}, *bytes}}});
  }
  return exposition(families);
}

std::optional<double> resident_bytes_in(const std::string& process_status) {
  std::istringstream lines(process_status);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name, unit;
    double amount = 0;
    if (words >> name && name == "VmRSS:" && words >> amount >> unit && unit == "kB") return amount * 1024;
  }
  return std::nullopt;
}

}  // namespace carrack::control
