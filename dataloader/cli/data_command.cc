#include "dataloader/cli/data_command.h"

#include <signal.h>

#include <string>
#include <variant>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/request.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

int run(const Request& request, const Storages& storages, const std::vector<std::string>& environment) {
  switch (request.command) {
    case Command::inspect:
      return inspect(request, storages);
    case Command::head:
      return head(request, storages);
    case Command::verify:
      return verify(request, storages);
    case Command::index:
      return index(request, storages);
    case Command::stats:
      return stats(request, storages);
    case Command::convert:
      return convert(request, storages, environment);
    case Command::bench:
      return bench(request, storages, environment);
    case Command::explain:
      return explain(request, storages, environment);
  }
  return 2;
}

// What `act` returns, or the exit code for what it throws, which is told.
template <typename Act>
int exit_code_of(const std::string& name, const Act& act) {
  constexpr int usage = 2, failed = 1, closed_pipe = 141;  // 128 and the number of SIGPIPE
  try {
    const int code = act();
    flush();
    return code;
  } catch (const ClosedPipe&) {
    return closed_pipe;
  } catch (const Interrupted&) {
    print_error(interrupted_text(name));
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
  const auto asked = request_from(arguments);
  // What cannot be printed, or become a longer file, is told by the call.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  if (const Answer* answer = std::get_if<Answer>(&asked)) {
    return exit_code_of("carrack data", [&] {
      print(answer->out);
      print_error(answer->err);
      return answer->exit_code;
    });
  }
  const Request& request = std::get<Request>(asked);
  const std::string name = "carrack data " + std::string(name_of(request.command));
  end_at_interrupts(name);
  return exit_code_of(name, [&] { return run(request, storages(), environment); });
}

}  // namespace carrack::data::cli
