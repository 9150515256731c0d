// Whether this build has a sanitizer that takes memory of its own for each byte, and holds what was freed for a while.
#pragma once

namespace carrack::train {

constexpr bool has_sanitizer =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

}  // namespace carrack::train
