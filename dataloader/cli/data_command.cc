#include "dataloader/cli/data_command.h"

#include <signal.h>

#include <array>
#include <string>
#include <variant>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/request.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// The functions of all commands. A value of the enum Command is an index into this array, so their orders must agree.
constexpr std::array commands = {inspect, head, verify, index, stats, convert, bench, explain};
static_assert(commands.size() == command_count);

// Runs `action` and returns its result, or the exit code for the exception that it throws. Except for a closed pipe,
// the exception is reported on standard error.
template <typename Action>
int run_and_report(const std::string& name, const Action& action) {
  constexpr int usage = 2, failed = 1;
  constexpr int closed_pipe = 141;  // 128 plus the number of SIGPIPE, as a shell reports the end by this signal
  try {
    const int code = action();
    flush();
    return code;
  } catch (const ClosedPipe&) {
    return closed_pipe;
  } catch (const Interrupted&) {
    print_error(interrupted_message(name));
    return interrupted_exit_code;
  } catch (const Refused& refused) {
    print_error(name + ": " + printable(refused.what()) + "\n");
    return usage;
  } catch (const std::exception& error) {
    print_error(name + ": " + printable(error.what()) + "\n");
    return failed;
  }
}

}  // namespace

int data_command(std::span<char* const> arguments, const std::function<const Storages&()>& storages,
                 const std::vector<std::string>& environment) {
  auto parsed = parse_request(arguments);
  // SIGPIPE would end the process when it writes to a closed pipe, and SIGXFSZ when a file exceeds its size limit. If
  // the process ignores them, the write fails instead, and run_and_report() returns an exit code for the failure.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  if (const ImmediateReply* reply = std::get_if<ImmediateReply>(&parsed)) {
    return run_and_report("carrack data", [&] {
      print(reply->out);
      print_error(reply->err);
      return reply->exit_code;
    });
  }
  Request& request = std::get<Request>(parsed);
  request.environment = environment;
  const std::string name = "carrack data " + std::string(name_of(request.command));
  exit_on_interrupt(name);
  return run_and_report(name, [&] { return commands[static_cast<std::size_t>(request.command)](request, storages()); });
}

}  // namespace carrack::data::cli
