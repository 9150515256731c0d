// Asserts that an action throws an Error with this blame and exactly this text.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "trainer/error.h"

namespace carrack::train {

inline void expect_error(Blame blame, const char* text, const std::function<void()>& act) {
  try {
    act();
    ADD_FAILURE() << "expected: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), blame);
    EXPECT_STREQ(error.what(), text);
  }
}

}  // namespace carrack::train
