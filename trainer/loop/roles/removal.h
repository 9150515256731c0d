// Removes old checkpoints after commits, on a thread of its own, so that no commit waits for it. A job does not need
// it to succeed: if storage refuses, that is logged once, and the next commit tries again.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "trainer/loop/roles/background.h"

namespace carrack::train {

// It is used on the thread that handles `inbox`. The destructor waits for the file that is being removed.
class Removal {
 public:
  // Removes what is not needed any more once `manifest` is committed, as long as `go_on` returns true. Throws
  // data::Error if storage fails. Runs on another thread, never twice at once.
  using Remove = std::function<void(const std::string& manifest, const std::function<bool()>& go_on)>;

  // `inbox` must outlive this.
  Removal(Inbox& inbox, Remove remove, std::function<void(const std::string&)> log)
      : remove_(std::move(remove)), log_(std::move(log)), background_(inbox) {}
  ~Removal() { ending_ = true; }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

  // Begins, or waits for the removal that is under way. Of the commits that wait only the last one counts.
  void begin(const std::string& manifest) {
    next_ = manifest;
    if (!under_way_) begin_next();
  }

  bool is_under_way() const { return under_way_; }

 private:
  void begin_next() {
    under_way_ = true;
    background_.run([this, manifest = *std::exchange(next_, std::nullopt)]() -> std::function<void()> {
      return [this, refusal = refusal_of(manifest)] {
        if (refusal) log_once("old checkpoints are not removed: " + *refusal + "; training goes on");
        under_way_ = false;
        if (next_) begin_next();
      };
    });
  }

  void log_once(const std::string& text) {
    if (!std::exchange(logged_, true)) log_(text);
  }

  // What storage says if it fails.
  std::optional<std::string> refusal_of(const std::string& manifest) {
    try {
      remove_(manifest, [this] { return !ending_; });
      return std::nullopt;
    } catch (const data::Error& error) {
      return error.what();
    }
  }

  const Remove remove_;
  const std::function<void(const std::string&)> log_;
  std::optional<std::string> next_;
  bool under_way_ = false;
  bool logged_ = false;
  std::atomic<bool> ending_ = false;
  Background background_;  // last: its jobs use all of the above
};

}  // namespace carrack::train
