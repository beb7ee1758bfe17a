// The exception type and the two ways to raise it.
// OA_REQUIRE: the caller is wrong (bad input, bad configuration). OA_CHECK: we are wrong (a broken
// invariant). Both take printable parts that make one sentence: OA_REQUIRE(n > 0, "env_batch: needs
// at least one env, was ", n).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/text.h"

namespace oneagent {

#define OA_API __attribute__((visibility("default")))

struct SourceLocation {
  const char* function;
  const char* file;
  uint32_t line;
};

class OA_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  // libtorch's names; what() has no backtrace.
  Error(const std::string& message, std::string backtrace, const void* caller = nullptr);
  Error(const SourceLocation& location, const std::string& message);
  const char* what() const noexcept override {
    return context_.empty() ? std::runtime_error::what() : what_.c_str();
  }
  const char* what_without_backtrace() const noexcept { return what(); }
  std::string msg() const { return std::runtime_error::what(); }
  const std::vector<std::string>& context() const { return context_; }
  const std::string& backtrace() const { return backtrace_; }
  const void* caller() const noexcept { return caller_; }
  void add_context(std::string line);  // what() shows it behind the message

 private:
  std::vector<std::string> context_;
  std::string backtrace_, what_;
  const void* caller_ = nullptr;
};

// What libtorch programs catch; most errors are plain ones.
#define OA_ERROR_KIND(Name)          \
  class OA_API Name : public Error { \
    using Error::Error;              \
  }
OA_ERROR_KIND(IndexError);
OA_ERROR_KIND(ValueError);
OA_ERROR_KIND(TypeError);
OA_ERROR_KIND(NotImplementedError);
OA_ERROR_KIND(LinAlgError);  // a matrix that an algorithm of linalg:: cannot handle
OA_ERROR_KIND(OutOfMemoryError);
#undef OA_ERROR_KIND

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
