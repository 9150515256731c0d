#include "tests/trainer/kernels/cuda_on_cpu/fibre.h"

#include <cstdint>
#include <exception>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace carrack::cuda_on_cpu {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;  // untouched pages cost nothing

// makecontext() passes ints, so a pointer travels in two of them.
constexpr unsigned half_bits = 32;

}  // namespace

Fibre::Fibre(std::function<void()> body)
    : body_(std::move(body)), stack_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes)) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.get();
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&inside_, reinterpret_cast<void (*)()>(&Fibre::enter), 2, static_cast<unsigned>(self >> half_bits),
              static_cast<unsigned>(self));
#if defined(__SANITIZE_THREAD__)
  inside_state_ = __tsan_create_fiber(0);
#endif
}

Fibre::~Fibre() {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(stack_.get(), stack_bytes);  // frames that never returned
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(inside_state_);
#endif
}

void Fibre::resume() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&outside_state_, stack_.get(), stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  outside_state_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(inside_state_, 0);
#endif
  swapcontext(&outside_, &inside_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(outside_state_, nullptr, nullptr);
#endif
}

void Fibre::pause() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&inside_state_, outside_stack_, outside_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(outside_state_, 0);
#endif
  swapcontext(&inside_, &outside_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(inside_state_, &outside_stack_, &outside_stack_bytes_);
#endif
}

void Fibre::enter(unsigned high, unsigned low) {
  Fibre* const self = reinterpret_cast<Fibre*>(std::uintptr_t{high} << half_bits | low);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self->outside_stack_, &self->outside_stack_bytes_);
#endif
  self->body_();
  std::terminate();
}

}  // namespace carrack::cuda_on_cpu
