// ProgramStream: starts a program of the user and reads its standard output as a ByteStream. This is how exec: sources
// get their records. The program runs in its own process group, which is killed at the end of the stream, when this
// object is destroyed, and at the end of this process. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/records/byte_stream.h"
#include "dataloader/sources/process_group.h"

namespace carrack::data {

struct Program {
  // The program, which is searched for in the PATH of this process, and its arguments. No shell is involved.
  std::vector<std::string> arguments;
  // The whole environment of the program; each entry is NAME=VALUE.
  std::vector<std::string> environment;
};

// Returns the program as users write it and messages show it: `exec:PROGRAM ARGUMENT...`.
std::string name_of(const Program& program);

class ProgramStream final : public ByteStream {
 public:
  // Starts the program, with an empty standard input; throws Error if that fails or program.arguments is empty. A
  // program that does not end within `exit_timeout` after it has closed its output is killed, and is a problem().
  // `check_cancelled` can stop a read() that waits: read() calls it on the calling thread, at first and then at least
  // about ten times a second; if it throws, read() throws the same, and must not be called again. It must not be an
  // empty std::function.
  explicit ProgramStream(
      const Program& program, std::chrono::milliseconds exit_timeout = std::chrono::seconds(10),
      std::function<void()> check_cancelled = [] {});
  ProgramStream(const ProgramStream&) = delete;
  ProgramStream& operator=(const ProgramStream&) = delete;
  // Kills the program and its process group.
  ~ProgramStream() override;

  // Waits for output and returns it. If the program does not end with exit code 0, read() returns all of its output,
  // and then problem() is set, with the last lines of its standard error. Throws Error if its output cannot be read.
  std::size_t read(std::span<std::byte> into) override;
  std::uint64_t left() const override { return ended_ ? 0 : unknown; }
  const std::optional<Problem>& problem() const override { return problem_; }
  bool inflates() const override { return false; }
  Seek resume() const override { return Seek::never; }
  // Also kills the program and its process group.
  void close() override;

 private:
  bool wait(std::chrono::milliseconds timeout, bool for_output);
  void read_errors();
  void finish();
  std::optional<std::string> end();
  std::string error_lines() const;

  const std::chrono::milliseconds exit_timeout_;
  const std::function<void()> check_cancelled_;
  std::optional<ProcessGroup> group_;  // nullopt once the program has ended
  pid_t pid_ = -1;                     // -1 once the program has been reaped
  int output_ = -1;
  int errors_ = -1;
  std::string error_output_;  // the last bytes of its standard error
  bool ended_ = false;
  std::optional<Problem> problem_;
};

}  // namespace carrack::data
