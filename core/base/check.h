// The exception type and the two ways to raise it.
// OA_REQUIRE: the caller is wrong (bad input, bad configuration). OA_CHECK: we are wrong (a broken
// invariant). Both take printable parts that make one sentence: OA_REQUIRE(n > 0, "env_batch: needs
// at least one env, was ", n).
#pragma once

#include <stdexcept>
#include <string>

#include "core/base/text.h"

namespace oneagent {

#define OA_API __attribute__((visibility("default")))

class OA_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  // libtorch's names
  std::string msg() const { return what(); }
  const char* what_without_backtrace() const { return what(); }
};

// What libtorch programs catch; most errors are plain ones.
class OA_API IndexError final : public Error {
  using Error::Error;
};
class OA_API ValueError final : public Error {
  using Error::Error;
};
class OA_API TypeError final : public Error {
  using Error::Error;
};
class OA_API NotImplementedError final : public Error {
  using Error::Error;
};

[[noreturn]] void throw_error(const std::string& message);
[[noreturn]] void throw_broken(const char* condition, const char* file, int line,
                               const std::string& message);

}  // namespace oneagent

#define OA_REQUIRE(condition, ...)                           \
  do {                                                       \
    if (!(condition)) [[unlikely]]                           \
      ::oneagent::throw_error(::oneagent::str(__VA_ARGS__)); \
  } while (false)

#define OA_CHECK(condition, ...)                                                              \
  do {                                                                                        \
    if (!(condition)) [[unlikely]]                                                            \
      ::oneagent::throw_broken(#condition, __FILE__, __LINE__, ::oneagent::str(__VA_ARGS__)); \
  } while (false)
