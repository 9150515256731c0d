#include "trainer/planning/job_plan_text.h"

#include <algorithm>
#include <cmath>

#include "dataloader/storage/remote/ranges.h"
#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/text_table.h"

namespace carrack::train {
namespace {

std::string number(std::int64_t count) {
  return data::counted(static_cast<std::uint64_t>(count));
}

std::string number(std::int64_t count, std::string_view noun) {
  return data::counted(static_cast<std::uint64_t>(count), noun);
}

std::string bytes_text(double bytes) {
  return data::format_bytes(static_cast<std::uint64_t>(std::min(bytes, 0x1p63)));
}

// Returns at most "99%". `part` is always less than 1, so "100%" would be wrong.
std::string percent(double part) {
  return std::to_string(std::min(99L, std::lround(100 * part))) + "%";
}

std::string layers_text(const std::vector<LayerPlan>& layers) {
  std::vector<TableLine> lines{{"layer", "output", "tensors", "parameters"}};
  std::int64_t tensors = 0, parameters = 0;
  for (const LayerPlan& layer : layers) {
    lines.push_back({data::printable(layer.name), layer.output, number(layer.tensors), number(layer.parameters)});
    tensors += layer.tensors;
    parameters += layer.parameters;
  }
  lines.push_back({"in all", "", number(tensors), number(parameters)});
  return text_table(lines, "llrr");
}

std::string group_text(const TensorGroup& group, std::size_t index, const GroupPlan& plan) {
  std::string text = "training.groups[" + std::to_string(index) + "]: " + number(plan.tensors, "tensor") + " with " +
                     number(plan.parameters, "parameter");
  if (is_frozen(group)) text += " that never change";
  return text + "\n";
}

std::string when_text(When when) {
  switch (when) {
    case When::always:
      return "";
    case When::at_times:
      return "at times";
  }
  throw Error(Blame::bug, "memory at no time");
}

std::string memory_text(const std::string& process, const MemoryOfProcess& memory) {
  std::vector<TableLine> lines{{"memory of " + process, "", ""}};
  for (const MemoryEntry& entry : memory.entries) {
    lines.push_back({"  " + entry.name, bytes_text(entry.bytes), when_text(entry.when)});
  }
  const double needed = bytes_needed(memory.entries), most = bytes_at_most(memory.entries);
  lines.push_back({"  in all", bytes_text(needed), ""});
  if (most > needed) lines.push_back({"", bytes_text(most), "at most"});
  return "\n" + text_table(lines, "lrl");
}

std::string memory_text(const JobMemory& memory, bool workers_run_own_program) {
  const auto each_of = [](int count, const std::string& one) {
    return count == 1 ? "the " + one : "each of " + number(count, one);
  };
  std::string text;
  if (memory.single) text += memory_text("the process", *memory.single);
  if (memory.coordinator) text += memory_text("the coordinator", *memory.coordinator);
  if (memory.server) text += memory_text(each_of(memory.server->processes, "parameter server"), *memory.server);
  if (memory.worker) {
    const std::string without = workers_run_own_program ? ", without what its program takes" : "";
    text += memory_text(each_of(memory.worker->processes, "worker") + without, *memory.worker);
  }
  if (memory.gpu) {
    text += memory_text(each_of(memory.gpu->processes, "GPU"), *memory.gpu);
    if (memory.gpu_min < bytes_at_most(memory.gpu->entries)) {
      text += "A GPU with less memory computes its records in parts; it needs at least " + bytes_text(memory.gpu_min) +
              ".\n";
    }
  }
  if (memory.worker && memory.only_worker > bytes_needed(memory.worker->entries)) {
    text += "A worker takes " + bytes_text(memory.only_worker) + " while it is the only one.\n";
  }
  return text;
}

std::string division_text(const Division& division, const Config& config) {
  const Training& training = config.training;
  const Shares& shares = division.shares;
  std::string text = "a batch of " + number(training.batch, "record");
  if (division.by_lanes) text += " in " + number(training.lanes, "lane");
  text += " on " + number(config.workers.max, "worker") + ": " + number(shares.least);
  if (shares.most > shares.least) text += " to " + number(shares.most);
  text += shares.most == 1 ? " record each, " : " records each, ";
  text += percent(shares.waiting) + " of the workers' time is waiting";
  if (division.better_lanes) {
    text += "; with training.lanes: " + std::to_string(*division.better_lanes) + " it is " +
            percent(shares_of(training.batch, *division.better_lanes, config.workers.max).waiting);
  }
  return text + "\n";
}

std::string division_text(const JobPlan& plan, const Config& config) {
  std::string text;
  if (plan.division) text += division_text(*plan.division, config);
  if (plan.division_without_index && plan.division_without_index->better_lanes) {
    text +=
        "in a job that starts before its files have an index: " + division_text(*plan.division_without_index, config);
  }
  return text.empty() ? text : "\n" + text;
}

std::string checkpoint_text(const CheckpointPlan& plan, const Checkpoint& config) {
  std::string text = "\na checkpoint: " + bytes_text(plan.bytes) + " in " + number(plan.files, "file") + ", every " +
                     number(config.every_seconds, "second");
  if (config.every_steps) text += ", and at each multiple of " + number(*config.every_steps, "step");
  if (plan.requests_to_write > 0) {
    text += "; " + data::counted(plan.requests_to_write) + " requests to storage to write it, " +
            data::counted(plan.requests_to_remove) + " to remove it";
  }
  return text + "\n";
}

std::string read_text(const ReadSet& set) {
  constexpr double gigabyte = 1e9, bytes_of_run = 4 << 20;
  const std::string chunk = data::format_bytes(data::range_bytes_max);
  const auto requests = [&](double bytes) { return number(std::lround(gigabyte / bytes)) + " for each GB"; };
  switch (set.pieces) {
    case Pieces::whole_files:
      return "one for each batch and worker, or for each " + chunk + " of a larger part";
    case Pieces::runs:
      if (set.run_records == 0) return requests(bytes_of_run) + ", one for each run of the shuffle";
      return "one for each run of " + number(set.run_records, "record") + ", or for each " + chunk + " of a longer one";
    case Pieces::records:
      return "one for each record, but for those that lie close together; a shuffle of kind Block needs far fewer";
  }
  throw Error(Blame::bug, "no such pieces");
}

std::string reads_text(const std::vector<ReadSet>& sets) {
  std::string text;
  for (const ReadSet& set : sets) {
    if (set.is_remote) text += set.field + ": requests to storage in an epoch: about " + read_text(set) + "\n";
  }
  return text;
}

}  // namespace

std::string text(const JobPlan& plan, const Config& config) {
  std::string all = layers_text(plan.layers);
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    all += group_text(config.training.groups[i], i, plan.groups[i]);
  }
  return all + memory_text(plan.memory, is_own(config.model)) + division_text(plan, config) +
         checkpoint_text(plan.checkpoint, config.checkpoint) + reads_text(plan.reads);
}

}  // namespace carrack::train
