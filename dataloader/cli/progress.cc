#include "dataloader/cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "dataloader/cli/summary/number_format.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t bar_width = 30;
constexpr auto first_drawn_after = std::chrono::milliseconds(500);
constexpr auto redrawn_every = std::chrono::milliseconds(200);

void print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string format_progress(std::uint64_t done, std::uint64_t total, double seconds) {
  if (total == 0) return format_bytes(done) + ", " + format_rate(done, seconds);
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * bar_width);
  std::string text = "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] " + format_bytes(done) +
                     " of " + format_bytes(total) + ", " + format_rate(done, seconds);
  if (done > 0 && done < total)
    text += ", " + counted(static_cast<std::uint64_t>(std::ceil(seconds / share - seconds))) + " s left";
  return text;
}

Progress::Progress(std::uint64_t total, bool on_terminal) : total_(total) {
  if (on_terminal) drawing_ = std::jthread([this](const std::stop_token& stop) { draw(stop); });
}

Progress::~Progress() {
  drawing_ = {};  // Ends the thread, so that it does not draw again after clear().
  clear();
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_drawn_, false)) print("\r\033[K");
}

void Progress::draw(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto never = [] { return false; };  // Only `stop` or the end of the time ends a wait.
  stopped_.wait_for(lock, stop, first_drawn_after, never);
  while (!stop.stop_requested()) {
    print("\r" + format_progress(done_, total_, seconds()) + "\033[K");
    is_drawn_ = true;
    stopped_.wait_for(lock, stop, redrawn_every, never);
  }
}

}  // namespace carrack::data::cli
