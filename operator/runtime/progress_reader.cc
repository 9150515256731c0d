#include "operator/runtime/progress_reader.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "dataloader/http/connections.h"
#include "operator/core/printable.h"
#include "trainer/launch/job_token.h"

namespace carrack::control {
namespace {

constexpr std::size_t name_bytes_max = 256;  // of the file name of a manifest
constexpr std::size_t first_skipped_bytes_max = 1024;
constexpr std::size_t hung_max = 16, hung_bytes_max = 256;  // number of entries, and bytes of `why` of each
constexpr std::int64_t count_max = 1'000'000'000;           // a status with larger counts has implausible_counts()

std::int64_t count_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  return std::max<std::int64_t>(0, found->get<std::int64_t>());
}

// JSON has no infinity and no NaN, so a status cannot contain them; they count as absent.
std::optional<double> number_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  const bool is_one = found != object.end() && found->is_number() && std::isfinite(found->get<double>());
  return is_one ? std::optional(found->get<double>()) : std::nullopt;
}

bool is_from(const nlohmann::json& object, const ProgressSource& source) {
  const auto job = object.find("job");
  // Trainers of the previous release send the UID itself instead of its token.
  const bool same_job = job != object.end() && (*job == train::job_token(source.job_uid) || *job == source.job_uid);
  return same_job && count_at(object, "attempt") == source.fence.attempt &&
         count_at(object, "incarnation") == source.fence.incarnation;
}

// Returns the file name of a manifest, from the object in field `name`; nullopt if it has none.
std::optional<std::string> manifest_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_object()) return std::nullopt;
  const auto manifest = found->find("manifest");
  if (manifest == found->end() || !manifest->is_string()) return std::nullopt;
  auto text = manifest->get<std::string>();
  return text.empty() || text.size() > name_bytes_max ? std::nullopt : std::optional(std::move(text));
}

LastCheckpoint checkpoint_in(const nlohmann::json& object, const std::string& name) {
  LastCheckpoint checkpoint{count_at(object, "step"), name, count_at(object, "skipped")};
  const auto first = object.find("first_skipped");
  if (checkpoint.skipped_records > 0 && first != object.end() && first->is_string())
    checkpoint.first_skipped = printable(first->get<std::string>(), first_skipped_bytes_max);
  return checkpoint;
}

std::optional<EvaluationStatus> evaluation_in(const nlohmann::json& object) {
  const auto found = object.find("evaluation");
  if (found == object.end() || !found->is_object()) return std::nullopt;
  return EvaluationStatus{.step = count_at(*found, "step"),
                          .loss = number_at(*found, "loss"),
                          .accuracy = number_at(*found, "accuracy"),
                          .area_under_curve = number_at(*found, "area_under_curve"),
                          .mean_absolute_error = number_at(*found, "mean_absolute_error"),
                          .mean_squared_error = number_at(*found, "mean_squared_error")};
}

// Reads an entry of `hung`; nullopt if it names neither a parameter server nor a worker.
std::optional<ReportedHung> hung_in(const nlohmann::json& entry) {
  if (!entry.is_object() || count_at(entry, "index") >= replicas_max) return std::nullopt;
  const auto role = entry.find("role"), why = entry.find("why");
  if (role == entry.end() || (*role != "ps" && *role != "worker")) return std::nullopt;
  ReportedHung hung{
      .member = {*role == "ps" ? train::Role::ps : train::Role::worker, static_cast<int>(count_at(entry, "index"))},
      .incarnation = static_cast<int>(std::min<std::int64_t>(count_at(entry, "incarnation"), count_max)),
      .why = {}};
  if (why != entry.end() && why->is_string()) hung.why = printable(why->get<std::string>(), hung_bytes_max);
  return hung;
}

std::vector<ReportedHung> all_hung_in(const nlohmann::json& object) {
  std::vector<ReportedHung> all;
  const auto list = object.find("hung");
  if (list == object.end() || !list->is_array()) return all;
  for (const nlohmann::json& entry : *list) {
    if (all.size() == hung_max) break;
    if (auto hung = hung_in(entry)) all.push_back(*std::move(hung));
  }
  return all;
}

}  // namespace

std::optional<CoordinatorReport> parse_report(const std::string& json, const ProgressSource& source) {
  const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object() || !is_from(object, source)) return std::nullopt;
  CoordinatorReport report;
  report.fence = source.fence;
  using Kind = DataWork::Kind;
  for (const auto& [name, kind] :
       {std::pair("indexing", Kind::indexing), std::pair("snapshot", Kind::snapshot),
        std::pair("statistics", Kind::statistics), std::pair("take_over", Kind::take_over)}) {
    const auto work = object.find(name);
    if (work == object.end() || !work->is_object()) continue;
    report.data_work = DataWork{kind,
                                count_at(*work, "files"),
                                count_at(*work, "total_files"),
                                count_at(*work, "bytes"),
                                count_at(*work, "total_bytes"),
                                count_at(*work, "records"),
                                count_at(*work, "total_records")};
    return report;
  }
  report.progress.step = count_at(object, "step");
  report.progress.steps = count_at(object, "total_steps");
  report.progress.loss = number_at(object, "loss");
  report.progress.input_wait = number_at(object, "input_wait");
  if (report.progress.input_wait) report.progress.input_wait = std::clamp(*report.progress.input_wait, 0.0, 1.0);
  if (const auto name = manifest_at(object, "checkpoint")) {
    report.last_checkpoint = checkpoint_in(object["checkpoint"], *name);
  }
  if (const auto name = manifest_at(object, "best")) {
    report.best_checkpoint = BestCheckpoint{count_at(object["best"], "step"), *name, number_at(object["best"], "loss")};
  }
  report.evaluation = evaluation_in(object);
  report.hung = all_hung_in(object);
  return report;
}

LastWords parse_last_words(const std::string& text, const ProgressSource& source) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  LastWords last{parse_report(text.substr(0, line), source), text};
  if (last.report) last.words.erase(0, line + 1);
  return last;
}

std::optional<CoordinatorReport> read_progress(const ProgressSource& source) {
  constexpr auto time_max = std::chrono::seconds(2);
  constexpr std::size_t body_bytes_max = std::size_t{64} * 1024;
  // The address is an IP address, so no name is looked up.
  const auto no_names = [](const data::Server&) { return data::Addresses("not an IP address"); };
  try {
    data::HttpConnections coordinator("http://" + source.address,
                                      {.deadline = std::chrono::steady_clock::now() + time_max}, {.find = no_names});
    const data::HttpReply reply =
        coordinator.send({.method = "GET", .target = "/progress", .body_bytes_max = body_bytes_max});
    return reply.is_complete && reply.status == 200 ? parse_report(reply.body, source) : std::nullopt;
  } catch (const std::exception&) {  // The address is malformed, or there is no memory.
    return std::nullopt;
  }
}

}  // namespace carrack::control
