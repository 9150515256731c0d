#include "operator/core/resources.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "trainer/launch/quantity.h"

namespace carrack::control {
namespace {

constexpr std::size_t quantity_max = 17;  // characters
constexpr std::size_t resources_max = 20;
constexpr std::size_t name_max = 128;  // characters

// The numbers of GPUs that a worker may have. They are powers of two, because the GPUs divide the lanes (shares) of a
// batch evenly, and the number of lanes is a power of two.
constexpr double gpu_counts[] = {1, 2, 4, 8, 16};
constexpr double gpus_max = 16;

// Devices, such as GPUs, have a vendor's domain in their name, and whole numbers as quantities.
bool is_device(std::string_view name) {
  return name.find('/') != name.npos;
}

bool is_known(const std::string& name) {
  constexpr std::string_view characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
  if (name == "cpu" || name == "memory" || name == "ephemeral-storage") return true;
  if (name.size() > name_max || name.find_first_not_of(characters) != name.npos) return false;
  const std::size_t slash = name.find('/');
  if (slash == name.npos) return name.starts_with("hugepages-");
  return slash > 0 && slash + 1 < name.size() && name.find('/', slash + 1) == name.npos;
}

// Returns processors. Accepts a subset of what Kubernetes does: a positive whole or decimal number, or thousandths such
// as 500m.
std::optional<double> parse_cpus(std::string_view text) {
  const bool is_milli = text.ends_with('m');
  const std::string_view amount = text.substr(0, text.size() - (is_milli ? 1 : 0));
  const bool is_number = amount.find_first_not_of("0123456789.") == amount.npos && train::parse_quantity(amount);
  double number = 0;
  if (!is_number || text.size() > quantity_max) return std::nullopt;
  std::from_chars(amount.data(), amount.data() + amount.size(), number);
  return is_milli ? number / 1000 : number;
}

std::optional<double> parse_count(std::string_view text) {
  const bool is_whole = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return is_whole && error == std::errc() ? std::optional(static_cast<double>(count)) : std::nullopt;
}

// Returns the quantity as a number of processors, devices or bytes; nullopt if the text is not a quantity of this
// resource.
std::optional<double> parse_amount(std::string_view name, std::string_view text) {
  if (name == "cpu") return parse_cpus(text);
  if (is_device(name)) return parse_count(text);
  const std::optional<std::uint64_t> bytes = train::parse_quantity(text);
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

std::string expected_quantity(std::string_view name) {
  if (name == "cpu") return "a quantity of processors; write 2, 0.5 or 500m";
  if (is_device(name)) return "a number of devices; write 1";
  return (name == "memory" ? "a quantity of memory" : "a quantity of bytes") + std::string("; write 512Mi or 4Gi");
}

void check_quantity(const std::string& name, const std::string& quantity, const std::string& field,
                    Problems& problems) {
  if (!is_known(name)) {
    problems.expect(false, field,
                    "is not a resource; there are cpu, memory, ephemeral-storage, hugepages-2Mi and, with a domain, "
                    "devices such as example.com/device");
    return;
  }
  problems.expect(parse_amount(name, quantity).has_value(), field,
                  "'" + quantity + "' is not " + expected_quantity(name));
}

void check_quantities(const Quantities& quantities, const std::string& field, Problems& problems) {
  problems.expect(quantities.size() <= resources_max, field,
                  "names " + to_text(quantities.size()) + " resources; at most " + to_text(resources_max));
  for (const auto& [name, quantity] : quantities) check_quantity(name, quantity, field + "." + name, problems);
}

void add(const Quantities& defaults, Quantities& quantities) {
  quantities.insert(defaults.begin(), defaults.end());  // keeps existing entries
}

// Returns true if the coordinator needs as much memory and CPU as a worker, because it computes the model to evaluate
// it, or reads all of the data to compute mean and deviation.
bool works_like_a_worker(const train::Config& config) {
  return config.data.evaluation || train::standardizes(config.model);
}

Quantities default_requests(train::Role role) {
  switch (role) {
    case train::Role::coordinator:
      return {{"cpu", "100m"}, {"memory", "256Mi"}};
    case train::Role::ps:
      return {{"cpu", "250m"}, {"memory", "256Mi"}};
    case train::Role::worker:
      break;
  }
  return {{"cpu", "500m"}, {"memory", "512Mi"}};
}

// Copies the worker's cpu and memory to the coordinator, each unless the coordinator's own options set it.
void add_from_worker(const Resources& worker, Resources& coordinator) {
  for (const char* name : {"cpu", "memory"}) {
    if (coordinator.requests.contains(name) || coordinator.limits.contains(name)) continue;
    coordinator.requests[name] = worker.requests.at(name);
    if (worker.limits.contains(name)) coordinator.limits[name] = worker.limits.at(name);
  }
}

}  // namespace

void check_resources(const Resources& resources, const std::string& field, Problems& problems) {
  check_quantities(resources.requests, field + ".requests", problems);
  check_quantities(resources.limits, field + ".limits", problems);
  for (const auto& [name, request] : resources.requests) {
    const std::string of_request = field + ".requests." + name;
    const auto limit = resources.limits.find(name);
    const bool has_limit = limit != resources.limits.end();
    const std::optional<double> requested = parse_amount(name, request);
    const std::optional<double> at_most = has_limit ? parse_amount(name, limit->second) : std::nullopt;
    if (is_device(name) || name.starts_with("hugepages-")) {
      problems.expect(has_limit && (!requested || !at_most || *requested == *at_most), of_request,
                      "is not the same in " + field + ".limits; Kubernetes gives as much of it as the limit says");
    } else {
      problems.expect(!requested || !at_most || *requested <= *at_most, of_request,
                      "is " + request + ", above its limit, " + (has_limit ? limit->second : ""));
    }
  }
}

void check_gpus(const Resources& resources, train::Role role, const std::string& field, Problems& problems) {
  const auto check = [&](const Quantities& quantities, const char* name) {
    for (const auto& [resource, quantity] : quantities) {
      // In a cluster that shares GPUs, resources have longer names, such as nvidia.com/gpu.shared or nvidia.com/mig-...
      if (!resource.starts_with(nvidia_gpu) && !resource.starts_with("nvidia.com/mig-")) continue;
      const std::string of_resource = field + "." + name + "." + resource;
      if (role != train::Role::worker) {
        problems.expect(false, of_resource, "only workers compute on GPUs; leave it out");
      } else if (resource != nvidia_gpu) {
        problems.expect(false, of_resource, std::string("the trainer computes on whole GPUs; use ") + nvidia_gpu);
      } else {
        const double gpus = parse_amount(resource, quantity).value_or(1);
        problems.expect(
            std::ranges::find(gpu_counts, gpus) != std::end(gpu_counts), of_resource,
            "is " + quantity + "; a worker computes on 1, 2, 4, 8 or 16 GPUs or, without this, on its CPUs");
      }
    }
  };
  check(resources.requests, "requests");
  check(resources.limits, "limits");
}

int gpus_of_worker(const JobSpec& spec) {
  if (runs_own_program(spec, train::Role::worker)) return 0;
  const Quantities& limits = spec.worker_pod.resources.limits;
  const auto gpus = limits.find(nvidia_gpu);
  return gpus == limits.end()
             ? 0
             : static_cast<int>(std::min(parse_amount(nvidia_gpu, gpus->second).value_or(0), gpus_max));
}

Resources resources_of(const JobSpec& spec, train::Role role) {
  Resources resources = pod_options(spec, role).resources;
  if (runs_own_program(spec, role)) return resources;
  if (role == train::Role::coordinator && works_like_a_worker(spec.config)) {
    add_from_worker(resources_of(spec, train::Role::worker), resources);
  }
  add(resources.limits, resources.requests);
  add(default_requests(role), resources.requests);
  add({{"memory", resources.requests.at("memory")}}, resources.limits);
  return resources;
}

}  // namespace carrack::control
