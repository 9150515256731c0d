#include "trainer/loop/progress.h"

#include <charconv>
#include <cmath>

namespace carrack::train {
namespace {

// JSON has no word for what is not finite; a loss that has run away is told as null.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

}  // namespace

std::string json_of(const ProgressReport& report) {
  // The manifest's name holds letters, digits and dashes alone, so nothing here needs escaping.
  return "{\"step\":" + std::to_string(report.batches_done) +
         ",\"total_steps\":" + std::to_string(report.batches_total) + ",\"loss\":" + number(report.loss) +
         ",\"checkpoint\":{\"step\":" + std::to_string(report.last_commit.version) + ",\"manifest\":\"" +
         report.last_commit.manifest + "\"},\"drained\":" + (report.drained ? "true" : "false") + "}\n";
}

ProgressServer::ProgressServer(const std::string& address) {
  if (!address.empty()) page_.emplace(address, "/progress");
}

void ProgressServer::show(const ProgressReport& report) {
  if (page_) page_->show(json_of(report));
}

}  // namespace carrack::train
