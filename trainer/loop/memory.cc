#include "trainer/loop/memory.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "trainer/error.h"
#include "trainer/models/check.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// No number where there is no such file, or the word "max" in it.
std::uint64_t number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : no_limit;
}

// Of the group and all that it is in. A container may see its own group alone, as the root.
std::uint64_t least_limit(const std::filesystem::path& top, std::filesystem::path group, const std::string& file) {
  std::uint64_t least = number_in(top / file);
  for (; group.has_relative_path(); group = group.parent_path()) {
    least = std::min(least, number_in(top / group.relative_path() / file));
  }
  return least;
}

std::uint64_t machine_memory(const std::string& root) {
  std::ifstream in(root + "/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    std::uint64_t kilobytes = 0;
    if (words >> key >> kilobytes && key == "MemTotal:") return kilobytes * 1024;
  }
  return no_limit;
}

// Beyond what any whole number type of 64 bits holds, too.
std::string whole(double number) {
  char text[400];
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

void require(const std::string& field, const std::string& role, double needed, std::uint64_t bytes,
             const std::string& advice) {
  if (needed <= static_cast<double>(bytes)) return;
  throw Error(Blame::user, field + ": a " + role + " takes at least " + whole(needed) + " bytes of memory, and has " +
                               std::to_string(bytes) + "; " + advice);
}

}  // namespace

std::uint64_t memory_of_this_process(const std::string& root) {
  std::uint64_t least = machine_memory(root);
  const std::filesystem::path groups = root + "/sys/fs/cgroup";
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // NUMBER:CONTROLLERS:/GROUP, see cgroups(7).
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_limit(groups, group, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, least_limit(groups / "memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

void require_server_fits(const Setup& setup, std::size_t server, std::uint64_t bytes) {
  // The parameters, those after the next update, the sum of gradients, and the state of the optimizer.
  const auto copies = static_cast<double>(3 + state_names(setup.optimizer).size());
  require("spec.model", "parameter server",
          copies * sizeof(float) * static_cast<double>(setup.ranges.at(server).size()), bytes,
          "give it more, use more parameter servers in spec.replicas.ps, or a smaller model");
}

void require_worker_fits(const Setup& setup, const Config& config, std::uint64_t records, std::uint64_t bytes) {
  // The parameters as they come and as they are used, and the sum of gradients.
  const double parameters = 3.0 * sizeof(float) * static_cast<double>(setup.layout.size());
  require("spec.model", "worker", parameters, bytes, "give it more, or use a smaller model");
  const std::uint64_t rows = std::min(static_cast<std::uint64_t>(config.training.batch), records);
  double row = 0;
  for (const data::Feature& feature : setup.features) {
    row += static_cast<double>(feature.count) * (feature.dtype == data::Dtype::float32 ? 4 : 8);
  }
  const std::string advice = "give it more, or use a smaller batch";
  const double batch = parameters + row * static_cast<double>(rows);
  require("spec.training.batch", "worker", batch, bytes, advice);
  // Only now can it be planned: numbers stay small where a batch fits.
  const auto sizes = check(config.model, config.data, static_cast<std::int64_t>(rows));
  require("spec.training.batch", "worker", batch + static_cast<double>(std::get<ModelSizes>(sizes).workspace_bytes),
          bytes, advice);
}

}  // namespace carrack::train
