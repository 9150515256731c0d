// The bytes that a program writes to its standard output. The program runs in a process group of its own, which is
// killed with this object and at the end of this process. Not thread-safe.
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
  // The program, which is searched in PATH, and its arguments; no shell is involved.
  std::vector<std::string> arguments;
  // Each NAME=VALUE; the whole environment of the program.
  std::vector<std::string> environment;
};

// For messages: `exec:PROGRAM ARGUMENT...`, as a user writes it.
std::string name_of(const Program& program);

class ProgramStream final : public ByteStream {
 public:
  // Starts the program; throws an Error if that fails. The program must end within `exit_timeout` of closing its
  // output. While read() waits, it calls `check_cancelled` at least ten times a second and passes on what that throws.
  explicit ProgramStream(
      const Program& program, std::chrono::milliseconds exit_timeout = std::chrono::seconds(10),
      std::function<void()> check_cancelled = [] {});
  ProgramStream(const ProgramStream&) = delete;
  ProgramStream& operator=(const ProgramStream&) = delete;
  // Kills the program and its process group.
  ~ProgramStream() override;

  // A program that does not end with exit code 0 is a problem at the end of its bytes, with the end of its standard
  // error.
  std::size_t read(std::span<std::byte> into) override;
  std::uint64_t left() const override { return ended_ ? 0 : unknown; }
  const std::optional<Problem>& problem() const override { return problem_; }
  bool inflates() const override { return false; }
  Seek resume() const override { return Seek::never; }
  void close() override;

 private:
  std::size_t read_output(std::span<std::byte> into);
  bool wait(std::chrono::milliseconds timeout, bool for_output);
  void read_errors();
  void finish();
  std::optional<std::string> end();
  std::string error_lines() const;

  const std::chrono::milliseconds exit_timeout_;
  const std::function<void()> check_cancelled_;
  std::optional<ProcessGroup> group_;  // nullopt once the program has ended
  pid_t pid_ = -1;                     // -1 once reaped
  int output_ = -1;
  int errors_ = -1;
  std::string error_output_;  // the end of its standard error
  bool ended_ = false;
  std::optional<Problem> problem_;
};

}  // namespace carrack::data
