#include "operator/cli/top.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "operator/cli/command_line.h"
#include "operator/cli/job_source.h"
#include "operator/cli/job_target.h"
#include "operator/cli/terminal.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/explain/pace.h"
#include "operator/explain/top.h"

namespace carrack::control {
namespace {

constexpr auto interval = std::chrono::seconds(1);
constexpr const char* usage = R"(usage: carrack top JOB|FOLDER [options]

Shows how fast a job goes, and its members. On a terminal it is drawn again each second, until the job is over.

  --once          print it once, as where the output is no terminal
)";

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Returns true if the job will not change any more unless somebody resumes it.
bool is_over(const JobView& view) {
  return is_finished(view.status) || holds(view.status, ConditionType::suspended) ||
         (view.place == Place::this_machine && !view.is_at_work);
}

// Draws lines over those of the previous draw(). All lines must fit on the terminal at once, because the cursor cannot
// return to a line that has scrolled away.
class Screen {
 public:
  // Returns false if standard output cannot be written to.
  bool draw(const std::vector<std::string>& lines) {
    const std::string back = drawn_ == 0 ? "" : "\033[" + std::to_string(drawn_) + "F\033[J";
    drawn_ = lines.size();
    std::fputs((back + joined(lines)).c_str(), stdout);
    return std::fflush(stdout) == 0;
  }

 private:
  std::size_t drawn_ = 0;
};

TopStyle style_of(const EnvironmentMap& environment) {
  const auto no_color = environment.find("NO_COLOR");
  return {.columns = static_cast<std::size_t>(columns_of_terminal() - 1),
          .lines = static_cast<std::size_t>(rows_of_terminal() - 1),
          .colors = no_color == environment.end() || no_color->second.empty()};
}

int show_live(JobSource& source, const EnvironmentMap& environment) {
  Screen screen;
  Pace pace;
  JobView view = source.view();
  for (std::string failure;; std::this_thread::sleep_for(interval)) {
    if (view.status.progress) pace.add(view.status.progress->step, view.now);
    view.steps_per_second = pace.steps_per_second();
    std::vector<std::string> lines = top_lines(view, style_of(environment));
    if (!failure.empty()) lines.back() = failure.substr(0, style_of(environment).columns);
    if (!screen.draw(lines)) return 1;
    if (is_over(view)) return 0;
    try {
      view = source.view();
      failure.clear();
    } catch (const Error& error) {
      if (error.blame() == Blame::user) throw;
      failure = "tries again: " + printable_line(error.what());
    }
  }
}

}  // namespace

int top(std::span<char* const> arguments, const EnvironmentMap& environment) {
  return exit_code_of("top", [&]() -> int {
    const CommandLine command{"top", std::string(usage) + target_usage, {}, {"--once"}};
    auto parsed = parse_target_arguments(command, arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const auto& typed = std::get<TargetArguments>(parsed);
    const auto source = open_job(typed.target, environment);
    if (output_is_terminal() && !typed.options.contains("--once")) return show_live(*source, environment);
    return print({0, joined(top_lines(source->view(), {})), ""});
  });
}

}  // namespace carrack::control
