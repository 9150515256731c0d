#include "operator/core/exit_words.h"

#include "trainer/launch/exit.h"

namespace carrack::control {

std::optional<int> signal_of(int exit_code) {
  constexpr int signal_max = 64;
  const int signal = exit_code - signal_exit_base;
  return signal > 0 && signal <= signal_max ? std::optional(signal) : std::nullopt;
}

std::string_view exit_name(const JobSpec& spec, int exit_code) {
  for (const auto& spelling : train::spellings<train::Exit>) {
    if (!spec.own && static_cast<int>(spelling.value) == exit_code) return spelling.text;
  }
  return "";
}

}  // namespace carrack::control
