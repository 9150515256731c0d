#include "trainer/loop/roles/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>

#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/launch/job_token.h"
#include "trainer/launch/overloaded.h"

namespace carrack::train {
namespace {

// Returns the beginning of a JSON object; the caller appends further fields and closes it. Neither the token here nor
// the names of manifests below need escaping: they have only letters, digits, dashes and dots.
std::string first_fields(const Reporter& reporter) {
  return "{\"job\":\"" + job_token(reporter.job_uid) + "\",\"attempt\":" + std::to_string(reporter.fence.attempt) +
         ",\"incarnation\":" + std::to_string(reporter.fence.incarnation);
}

std::string name_of(DataWork work) {
  switch (work) {
    case DataWork::indexing:
      return "indexing";
    case DataWork::snapshot:
      return "snapshot";
  }
  throw Error(Blame::bug, "work on the data without a name");
}

// Leaves out infinite metrics and NaN, which JSON does not have.
std::string fields_of(const EvaluationReport& evaluation) {
  std::string json = ",\"evaluation\":{\"step\":" + std::to_string(evaluation.step);
  for (const auto& [name, value] : evaluation.metrics) {
    if (std::isfinite(value)) json += ",\"" + name + "\":" + data::exact_text(value);
  }
  json += "}";
  if (evaluation.best_manifest.empty()) return json;
  return json + ",\"best\":{\"step\":" + std::to_string(evaluation.best_step) +
         ",\"loss\":" + data::exact_text(evaluation.best_loss) + ",\"manifest\":\"" + evaluation.best_manifest + "\"}";
}

std::string fields_of(const Skipped& skipped) {
  if (skipped.records == 0) return "";
  return ",\"skipped\":" + std::to_string(skipped.records) + ",\"first_skipped\":" + data::json_string(skipped.first);
}

// With more workers the JSON could exceed 64 KiB, the maximum that a client reads.
constexpr std::size_t workers_listed_max = 100;

// Returns the counts as a JSON array, without the zeros at its end.
std::string json_of(const StalenessCounts& counts) {
  const auto last = std::find_if(counts.batches.rbegin(), counts.batches.rend(), [](auto count) { return count != 0; });
  std::string json;
  for (auto count = counts.batches.begin(); count != last.base(); ++count) {
    json += (json.empty() ? "" : ",") + std::to_string(*count);
  }
  return "[" + json + "]";
}

std::string fields_of(const Staleness& staleness) {
  if (staleness.empty()) return "";
  std::string workers;
  for (const auto& [worker, counts] : staleness) {
    workers += (workers.empty() ? "\"" : ",\"") + std::to_string(worker) + "\":" + json_of(counts);
  }
  return ",\"staleness\":{\"all\":" + json_of(total_of(staleness)) +
         (staleness.size() > workers_listed_max ? "" : ",\"workers\":{" + workers + "}") + "}";
}

std::string fields_of(const std::vector<Hung>& hung) {
  std::string list;
  for (const Hung& one : hung) {
    list += (list.empty() ? "" : ",") + std::string("{\"role\":\"") + std::string(spelled(one.member.role)) +
            "\",\"index\":" + std::to_string(one.member.index) + ",\"incarnation\":" + std::to_string(one.incarnation) +
            ",\"why\":" + data::json_string(one.why) + "}";
  }
  return list.empty() ? "" : ",\"hung\":[" + list + "]";
}

// Returns a text such as "0.25", always with two digits after the point.
std::string input_wait_text(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", share);
  return text;
}

}  // namespace

std::string to_json(const Reporter& reporter, DataWork work, const data::IndexingProgress& built) {
  return first_fields(reporter) + ",\"" + name_of(work) + "\":{\"files\":" + std::to_string(built.files) +
         ",\"total_files\":" + std::to_string(built.files_total) + ",\"bytes\":" + std::to_string(built.bytes) +
         ",\"total_bytes\":" + std::to_string(built.bytes_total) + "}}\n";
}

std::string to_json_of_take_over(const Reporter& reporter) {
  return first_fields(reporter) + ",\"take_over\":{}}\n";
}

std::string to_json(const Reporter& reporter, const RecordsRead& read) {
  return first_fields(reporter) + ",\"statistics\":{\"records\":" + std::to_string(read.records) +
         ",\"total_records\":" + std::to_string(read.records_total) + "}}\n";
}

std::string to_json(const ProgressReport& report) {
  return first_fields(report.reporter) + ",\"step\":" + std::to_string(report.batches_done) +
         ",\"total_steps\":" + std::to_string(report.batches_total.value_or(0)) +
         ",\"loss\":" + data::exact_text(report.loss) +
         ",\"checkpoint\":{\"step\":" + std::to_string(report.committed_step) + ",\"manifest\":\"" + report.manifest +
         "\"" + fields_of(report.skipped) + "}" +
         (report.input_wait ? ",\"input_wait\":" + input_wait_text(*report.input_wait) : "") +
         fields_of(report.staleness) + (report.evaluation ? fields_of(*report.evaluation) : "") +
         fields_of(report.hung) + "}\n";
}

std::string to_json_at_end(ProgressReport report) {
  report.staleness.clear();
  report.hung.clear();
  return to_json(report);
}

ProgressServer::ProgressServer(const std::string& address) {
  if (address.empty()) return;
  try {
    server_.emplace(address, data::Pages{{"/progress", [this] { return page(); }}});
  } catch (const std::exception& error) {
    throw Error(Blame::platform, "cannot serve progress at " + address + ": " + error.what());
  }
}

void ProgressServer::replace(Shown shown) {
  const MutexLock lock(mutex_);
  shown_ = std::move(shown);
}

data::Page ProgressServer::page() {
  const MutexLock lock(mutex_);
  const auto text = overloaded{[](const std::string& json) { return json; },
                               [](const ProgressReport& report) { return to_json(report); }};
  return {.body = std::visit(text, shown_), .content_type = "application/json"};
}

}  // namespace carrack::train
