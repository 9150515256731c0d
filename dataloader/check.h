// CHECK(condition), CHECK_EQ(a, b) and the other comparisons state an invariant of this program: a condition that no
// input, storage or peer can make false. If it is false, they print the file, the line and the condition to standard
// error, and call abort(). The comparisons print both values, too, if they are enums or have an operator<<. The macros
// are active in every build.
//
// A condition that a user, a file or a peer can make false is not an invariant: throw an Error for it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <type_traits>

namespace carrack {

// The next three functions are only for the macros below.
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

// The comparisons evaluate each operand once.
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
