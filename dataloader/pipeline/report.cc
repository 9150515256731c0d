#include "dataloader/pipeline/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "dataloader/text.h"

namespace carrack::data {
namespace {

double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(share * 100))) + "%";
}

std::string format(double number, const char* format_string) {
  char text[64];
  std::snprintf(text, sizeof text, format_string, number);
  return text;
}

double share(double part, double of) {
  return of > 0 ? part / of : 0;
}

std::string storage_bound(const Measured& measured) {
  const std::string waits =
      "storage is the narrowest: threads wait for it " + percent(measured.workers.waiting_share) + " of their time";
  if (measured.workers.threads < measured.max_threads)
    return waits + ", and more of them do not get more of it; bring the data nearer, or make its files larger";
  return waits + "; " + std::to_string(measured.max_threads) + " threads are the most that it may have: allow more";
}

std::string single_thread_bound(const StageTotals& stage, const Measured& measured) {
  const auto part = [&](std::uint64_t ns) { return percent(share(seconds(ns), seconds(measured.passed_ns))); };
  return stage.name + " is the narrowest: its rows come in turn, by one thread, which computes " + part(stage.busy_ns) +
         " of the time and waits " + part(stage.waited_ns);
}

// Returns a stage on which one thread works nearly all the time; nullptr if there is none.
const StageTotals* busy_single_thread(const Measured& measured) {
  constexpr double nearly_all = 0.75;
  for (const StageTotals& stage : measured.stages)
    if (stage.is_stream && share(seconds(stage.busy_ns + stage.waited_ns), seconds(measured.passed_ns)) > nearly_all)
      return &stage;
  return nullptr;
}

std::string cpu_bound(const Measured& measured) {
  const auto longest = std::ranges::max_element(measured.stages, {}, &StageTotals::busy_ns);
  std::uint64_t busy = 0;
  for (const StageTotals& stage : measured.stages) busy += stage.busy_ns;
  return "the CPUs are the narrowest, and " + longest->name + " takes " +
         percent(share(seconds(longest->busy_ns), seconds(busy))) + " of their time; give it more CPUs than " +
         std::to_string(measured.cpus) + ", or less to do";
}

}  // namespace

std::vector<std::string> advice(const Measured& measured) {
  std::vector<std::string> all;
  const double waited = share(seconds(measured.reader_waited_ns), seconds(measured.passed_ns));
  constexpr double seldom = 0.05;
  if (waited < seldom) {
    all.push_back("who reads is the narrowest: batches were ready " + percent(1 - waited) + " of the time");
  } else if (const StageTotals* stage = busy_single_thread(measured)) {
    all.push_back(single_thread_bound(*stage, measured));
  } else if (!measured.stages.empty()) {
    all.push_back(measured.workers.waiting_share > 0.5 ? storage_bound(measured) : cpu_bound(measured));
  }
  constexpr double small_file = 16e6, good_file = 150e6;
  const double each = share(static_cast<double>(measured.file_bytes), static_cast<double>(measured.files));
  if (measured.files > 100 && each < small_file) {
    all.push_back(std::to_string(measured.files) + " files of " + format_bytes(static_cast<std::uint64_t>(each)) +
                  ": merge them to about " +
                  std::to_string(std::max(1, static_cast<int>(static_cast<double>(measured.file_bytes) / good_file))) +
                  " of 150 MB");
  }
  return all;
}

std::string format_report(const Measured& measured) {
  std::string text = "stage                              rows  rows/s of a CPU     CPU  waiting      read\n";
  double bytes = 0;
  for (const StageTotals& stage : measured.stages) {
    char line[160];
    std::snprintf(line, sizeof line, "%-28s %10llu  %15.0f  %6.2f s  %6.2f s", stage.name.substr(0, 28).c_str(),
                  static_cast<unsigned long long>(stage.rows),
                  share(static_cast<double>(stage.rows), seconds(stage.busy_ns)), seconds(stage.busy_ns),
                  seconds(stage.waited_ns));
    text += line;
    if (stage.bytes > 0) text += "  " + format_bytes(stage.bytes);
    text += "\n";
    bytes += static_cast<double>(stage.bytes);
  }
  const double passed = seconds(measured.passed_ns);
  text +=
      std::to_string(measured.rows) + " rows in " + format(passed, "%.2f s: ") +
      format(share(static_cast<double>(measured.rows), passed), "%.0f rows/s") +
      (bytes > 0 ? ", " + format_bytes(static_cast<std::uint64_t>(share(bytes, passed))) + "/s of the files, inflated"
                 : "") +
      ", with " + std::to_string(measured.workers.threads) + " threads on " + std::to_string(measured.cpus) + " CPUs\n";
  for (const std::string& sentence : advice(measured)) text += sentence + "\n";
  if (measured.lost == 0) return text;
  constexpr std::size_t shown_max = 5;
  const std::size_t first = std::min(shown_max, measured.first_lost.size());
  text += "left out: " + std::to_string(measured.lost) + (first < measured.lost ? ", first of all" : "") + "\n";
  for (const Corrupt& lost : std::span(measured.first_lost).first(first))
    text += "  " + carrack::data::text(lost) + "\n";
  return text;
}

std::string chrome_trace(const std::vector<StageTotals>& stages, const std::vector<Span>& spans) {
  std::string text = "{\"traceEvents\":[";
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    text += (i == 0 ? "\n" : ",\n") + std::string("{\"ph\":\"X\",\"pid\":0,\"tid\":") + std::to_string(span.thread) +
            ",\"name\":" + json_string(stages[span.stage].name) +
            ",\"ts\":" + format(static_cast<double>(span.begin_ns) * 1e-3, "%.3f") +
            ",\"dur\":" + format(static_cast<double>(span.end_ns - span.begin_ns) * 1e-3, "%.3f") +
            ",\"args\":{\"rows\":" + std::to_string(span.rows) + "}}";
  }
  return text + "\n]}\n";
}

}  // namespace carrack::data
