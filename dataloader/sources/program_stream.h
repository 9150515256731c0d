// The bytes that a program writes to its standard output: whatever makes records, in any language. It runs in a process
// group of its own and does not outlive this; nor this process, unless it leaves that group.
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
  // The program, which is looked for in PATH, and what it is given; no shell sees them.
  std::vector<std::string> arguments;
  // Each NAME=VALUE; it has no others.
  std::vector<std::string> environment;
};

// As a user writes it, for errors: `exec:PROGRAM ARGUMENT...`.
std::string name_of(const Program& program);

class ProgramStream final : public ByteStream {
 public:
  // Throws an Error where it cannot be started. It has so much time to end, once it has closed its output. While it is
  // read or waited for, `check_cancelled` is called at least ten times a second; what that throws, reading throws.
  explicit ProgramStream(
      const Program& program, std::chrono::milliseconds to_end = std::chrono::seconds(10),
      std::function<void()> check_cancelled = [] {});
  ProgramStream(const ProgramStream&) = delete;
  ProgramStream& operator=(const ProgramStream&) = delete;
  // Kills it, and what it has started in its group.
  ~ProgramStream() override;

  // A program that ends otherwise than with exit code 0 is a problem at the end of its bytes, with its last words.
  std::size_t read(std::span<std::byte> into) override;
  std::uint64_t left() const override { return ended_ ? 0 : unknown; }
  const std::optional<Problem>& problem() const override { return problem_; }
  bool inflates() const override { return false; }
  Seek resume() const override { return Seek::never; }
  void close() override;

 private:
  std::size_t read_output(std::span<std::byte> into);
  bool wait(std::chrono::milliseconds most, bool for_output);
  void listen();
  void finish();
  std::optional<std::string> end();
  std::string last_words() const;

  const std::chrono::milliseconds to_end_;
  const std::function<void()> heed_;
  std::optional<ProcessGroup> group_;  // none once it has ended
  pid_t pid_ = -1;                     // -1 once it is reaped
  int output_ = -1;
  int errors_ = -1;
  std::string words_;  // the end of what it wrote to its standard error
  bool ended_ = false;
  std::optional<Problem> problem_;
};

}  // namespace carrack::data
