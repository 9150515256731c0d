#include "operator/cli/run_logs.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

#include "operator/core/member_words.h"
#include "operator/explain/member_rows.h"
#include "operator/local/log_files.h"
#include "operator/local/run_folder.h"

namespace carrack::control {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(200);

class RunLogs {
 public:
  RunLogs(std::string folder, const LogChoice& choice, LogPrinter& printer)
      : folder_(std::move(folder)), choice_(choice), printer_(printer) {}

  bool has_logs() const { return !current_.empty(); }

  // Prints what was added to the logs since the last call; in the first call, all that choice_ selects.
  void poll() {
    const std::vector<LogFile> files = log_files(folder_);
    for (std::size_t at = 0; at < files.size(); ++at) {
      const LogFile& file = files[at];
      if (!choice_.has(file.member)) continue;
      const bool is_newest = at + 1 == files.size() || files[at + 1].member != file.member;
      const auto current = current_.find(file.member);
      if (current == current_.end() && !is_newest) {
        print_end(file);
      } else if (current == current_.end() || file.fence > current->second.file.fence) {
        begin(file);
      }
      if (is_newest) current_.at(file.member).log.read(printing(file.member));
    }
    is_first_poll_ = false;
  }

  // Prints last lines that have no line end. If the job's last failure was the end of the newest process of a chosen
  // member, also prints how that process ended. `saved` is the job of the run; nullopt if the folder has none.
  void finish(const std::optional<SavedJob>& saved) {
    const LastFailure* failure = saved && saved->status.last_failure ? &*saved->status.last_failure : nullptr;
    for (auto& [member, reading] : current_) {
      reading.log.finish(printing(member));
      const bool has_failed = failure && failure->pod == reading.file.process;
      if (has_failed) printer_.note(member_name(member), failure->pod + " ended: " + end_phrase(saved->spec, *failure));
    }
  }

 private:
  struct Reading {
    LogFile file;
    GrowingFile log;
  };

  std::function<void(std::string_view)> printing(const train::Member& member) {
    return [this, name = member_name(member)](std::string_view line) { printer_.line(name, line); };
  }

  // Prints how an earlier process of a member ended.
  void print_end(const LogFile& file) {
    const std::string words = last_words(file.path);
    printer_.note(member_name(file.member), file.process + " ended" + (words.empty() ? "" : ": " + words));
  }

  // Begins to read this log. If the log of an earlier process of the member was read before, first prints its rest.
  void begin(const LogFile& file) {
    const auto before = current_.find(file.member);
    const bool is_first = before == current_.end();
    if (!is_first) {
      before->second.log.read(printing(file.member));
      before->second.log.finish(printing(file.member));
      printer_.note(member_name(file.member), before->second.file.process + " ended; " + file.process + " starts");
      current_.erase(before);
    }
    GrowingFile log(file.path);
    if (is_first_poll_ && choice_.tail) log.skip_to_last(*choice_.tail);
    current_.emplace(file.member, Reading{file, std::move(log)});
  }

  const std::string folder_;
  const LogChoice& choice_;
  LogPrinter& printer_;
  bool is_first_poll_ = true;
  std::map<train::Member, Reading> current_;
};

}  // namespace

int print_logs_of_run(const std::string& folder, const LogChoice& choice, LogPrinter& printer) {
  RunLogs logs(folder, choice, printer);
  for (bool is_last = !choice.follow; !printer.is_closed(); std::this_thread::sleep_for(poll_interval)) {
    // First checks whether the run has ended, then reads the logs. In the other order, lines that the run prints just
    // before it ends could be missed.
    is_last = is_last || !is_run_at_work(folder);
    logs.poll();
    if (is_last) break;
  }
  logs.finish(read_saved_job(folder));
  if (!logs.has_logs()) std::fputs("carrack logs: no member has been started yet\n", stderr);
  const bool lacks_logs = !choice.follow && !logs.has_logs();
  return printer.is_closed() || lacks_logs ? 1 : 0;
}

}  // namespace carrack::control
