#include "trainer/loop/roles/progress.h"

#include "dataloader/sources/number_text.h"

namespace carrack::train {
namespace {

// The UID and the manifest's name hold letters, digits and dashes alone, so nothing here needs escaping.
std::string beginning(const ProgressTeller& teller) {
  return "{\"job\":\"" + teller.job_uid + "\",\"attempt\":" + std::to_string(teller.fence.attempt) +
         ",\"incarnation\":" + std::to_string(teller.fence.incarnation);
}

}  // namespace

std::string json_of(const ProgressTeller& teller, DataWork work, const data::IndexingProgress& made) {
  return beginning(teller) + ",\"" + (work == DataWork::indexing ? "indexing" : "snapshot") +
         "\":{\"files\":" + std::to_string(made.files) + ",\"total_files\":" + std::to_string(made.files_total) +
         ",\"bytes\":" + std::to_string(made.bytes) + ",\"total_bytes\":" + std::to_string(made.bytes_total) + "}}\n";
}

// The loss is finite: a job whose loss is not has ended.
std::string json_of(const ProgressReport& report) {
  return beginning(report.teller) + ",\"step\":" + std::to_string(report.batches_done) +
         ",\"total_steps\":" + std::to_string(report.batches_total.value_or(0)) +
         ",\"loss\":" + data::exact_text(report.loss) +
         ",\"checkpoint\":{\"step\":" + std::to_string(report.last_commit.version) + ",\"manifest\":\"" +
         report.last_commit.manifest + "\"},\"drained\":" + (report.drained ? "true" : "false") + "}\n";
}

ProgressServer::ProgressServer(const std::string& address) {
  if (!address.empty()) page_.emplace(address, "/progress");
}

void ProgressServer::show(const std::string& json) {
  if (page_) page_->show(json);
}

}  // namespace carrack::train
