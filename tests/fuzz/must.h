// What a fuzz target checks beside not crashing: a false condition ends the process, so that the fuzzer keeps the
// input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace carrack::fuzz {

inline void must(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "must: %s\n", what);
  std::abort();
}

}  // namespace carrack::fuzz
