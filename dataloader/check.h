// CHECK(condition) and CHECK_EQ(a, b) and its siblings state an invariant of this program: something that no input, no
// storage and no peer can make false. Where it is false, they print file, line and values to standard error and end the
// process with abort(). They are on in every build; a check costs a comparison.
//
// What a user, a file or a peer can cause is no invariant: throw an Error for that.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <type_traits>

namespace carrack {

template <class Value>
std::string check_text(const Value& value) {
  std::ostringstream text;
  if constexpr (std::is_enum_v<Value>) {
    text << static_cast<long long>(value);
  } else if constexpr (requires { text << value; }) {
    text << value;
  } else {
    text << "(a value that cannot be printed)";
  }
  return text.str();
}

[[noreturn]] inline void check_failed(const char* file, int line, const char* condition, const std::string& values) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s%s\n", file, line, condition, values.c_str());
  std::fflush(stderr);
  std::abort();
}

template <class Left, class Right>
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const Left& left,
                               const Right& right) {
  check_failed(file, line, condition, " (" + check_text(left) + " and " + check_text(right) + ")");
}

}  // namespace carrack

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) [[unlikely]]                                            \
      ::carrack::check_failed(__FILE__, __LINE__, #condition, std::string()); \
  } while (false)

// Each operand is evaluated once.
#define CARRACK_CHECK_OPERATOR(left, op, right)                                                           \
  do {                                                                                                    \
    const auto& carrack_left = (left);                                                                    \
    const auto& carrack_right = (right);                                                                  \
    if (!(carrack_left op carrack_right)) [[unlikely]]                                                    \
      ::carrack::check_failed(__FILE__, __LINE__, #left " " #op " " #right, carrack_left, carrack_right); \
  } while (false)

#define CHECK_EQ(left, right) CARRACK_CHECK_OPERATOR(left, ==, right)
#define CHECK_NE(left, right) CARRACK_CHECK_OPERATOR(left, !=, right)
#define CHECK_LT(left, right) CARRACK_CHECK_OPERATOR(left, <, right)
#define CHECK_LE(left, right) CARRACK_CHECK_OPERATOR(left, <=, right)
#define CHECK_GT(left, right) CARRACK_CHECK_OPERATOR(left, >, right)
#define CHECK_GE(left, right) CARRACK_CHECK_OPERATOR(left, >=, right)
