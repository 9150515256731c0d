// A function on a stack of its own, which its caller resumes and which pauses itself.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace carrack::cuda_on_cpu {

// Not to be moved while it exists. A fibre that is destroyed in a pause never returns from it: destructors of what is
// on its stack do not run.
class Fibre {
 public:
  // `body` runs at the first resume(). It must not return, nor throw: it pauses for the last time instead.
  explicit Fibre(std::function<void()> body);
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;
  ~Fibre();

  // Runs until the next pause().
  void resume();
  // Returns from resume(); call it from within the body.
  void pause();

 private:
  static void enter(unsigned high, unsigned low);

  std::function<void()> body_;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t inside_;
  ucontext_t outside_;
  // What the sanitizers keep about both stacks.
  void* inside_state_ = nullptr;
  void* outside_state_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_stack_bytes_ = 0;
};

}  // namespace carrack::cuda_on_cpu
