#include "operator/cli/log_printer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "operator/core/printable.h"

namespace carrack::control {

void LogPrinter::line(std::string_view name, std::string_view text) {
  std::string printed(name);
  printed.resize(std::max(printed.size(), width_), ' ');
  printed += " | " + printable(text) + "\n";
  const MutexLock lock(mutex_);
  std::fputs(printed.c_str(), stdout);
  is_closed_ = is_closed_ || std::fflush(stdout) != 0;
}

void LogPrinter::note(std::string_view name, const std::string& text) {
  line(name, "-- " + printable_joined(text));
}

bool LogPrinter::is_closed() const {
  const MutexLock lock(mutex_);
  // Members may log nothing for a long time, so poll() checks for a closed pipe without a write: in
  // `carrack logs --follow | head`, head may have exited.
  pollfd output{STDOUT_FILENO, 0, 0};
  return is_closed_ || (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0);
}

}  // namespace carrack::control
