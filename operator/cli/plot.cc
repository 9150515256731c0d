#include "operator/cli/plot.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/storage/url.h"
#include "operator/cli/command_line.h"
#include "operator/cli/run_chart.h"
#include "operator/cli/terminal.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/history/metrics_file.h"

namespace carrack::control {
namespace {

constexpr int width_min = 20, width_max = 1000;

constexpr const char* usage = R"(usage: carrack plot FOLDER [options]

Draws the loss of a job over its steps, in training and in evaluations. The job may go on meanwhile.

  FOLDER         the checkpoint folder of a job, or the metrics.jsonl in it, as path, file:// or gs://
  --metric NAME  instead of the loss, such as accuracy or records_per_second
  --width N      of the chart, in characters, from 20; by default that of the terminal, or 80
  --help         print this
)";

struct Request {
  std::string file;
  ChartOptions options;
};

// Returns `path` if it ends with .jsonl, or else the path of metrics.jsonl in the folder `path`.
std::string file_of(const std::string& path) {
  return path.ends_with(".jsonl") ? path : data::in_folder(path, std::string(history::metrics_file_name));
}

int width_of_terminal() {
  return std::clamp(columns_of_terminal(), width_min, width_max);
}

Charset charset_of(const std::map<std::string, std::string>& environment) {
  return is_utf8_locale(environment) ? Charset::utf8 : Charset::ascii;
}

std::variant<Request, Printed> parse_arguments(std::span<char* const> arguments) {
  const CommandLine command{"plot", usage, {"--metric", "--width"}};
  auto parsed = parse_command_arguments(command, arguments);
  if (auto* printed = std::get_if<Printed>(&parsed)) return std::move(*printed);
  const auto& typed = std::get<CommandArguments>(parsed);
  if (typed.paths.size() > 1) {
    return usage_error(command, "takes one folder; '" + printable(typed.paths[1]) + "' is one too many");
  }
  const int usual = output_is_terminal() ? width_of_terminal() : ChartOptions().width;
  auto width = number_option(command, typed, "--width", usual, width_max, width_min);
  if (auto* printed = std::get_if<Printed>(&width)) return std::move(*printed);
  ChartOptions options;
  options.metric = typed.value("--metric", options.metric);
  options.width = std::get<int>(width);
  return Request{file_of(typed.paths.front()), options};
}

// Returns a message for the user that says why the file of metrics does not exist.
std::string absence_of(data::Storage& storage, const std::string& file) {
  constexpr const char* otherwise = "name the checkpoint folder of a job that has begun to train";
  const std::string name(history::metrics_file_name);
  if (!file.ends_with("/" + name)) return file + ": there is no such file; " + otherwise;
  const std::string folder = file.substr(0, file.size() - name.size() - 1);
  return folder + ": " + checkpoint::CheckpointFolder(storage, folder).absence_of(name, otherwise);
}

// Returns the points in a file of metrics. Throws Error: Blame::user if it does not exist, Blame::platform if it is not
// valid.
std::vector<history::Point> read(const data::Storages& storages, const std::string& file) {
  const std::optional<data::Bytes> bytes =
      data::read_whole(storages.for_url(file), file, {.bytes_max = history::metrics_file_bytes_max});
  if (!bytes) throw Error(Blame::user, absence_of(storages.for_url(file), file));
  try {
    return history::points_in({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  } catch (const std::exception& error) {
    throw Error(Blame::platform, file + ": " + error.what());
  }
}

}  // namespace

int plot(std::span<char* const> arguments, const std::function<const data::Storages&()>& storages,
         const std::map<std::string, std::string>& environment) {
  return exit_code_of("plot", [&] {
    auto parsed = parse_arguments(arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    auto& [file, options] = std::get<Request>(parsed);
    options.charset = charset_of(environment);
    return print({0, run_chart(read(storages(), file), options), ""});
  });
}

std::string chart_for_terminal(const std::string& folder, const data::Storages& storages,
                               const std::map<std::string, std::string>& environment) {
  constexpr std::size_t fewest_points = 3;
  try {
    const std::vector<history::Point> points = read(storages, file_of(folder));
    if (points.size() < fewest_points) return "";
    return run_chart(points, {.width = width_of_terminal(), .charset = charset_of(environment)});
  } catch (const std::exception&) {
    return "";  // The chart is an addition to other output. `carrack plot` says what is wrong.
  }
}

}  // namespace carrack::control
