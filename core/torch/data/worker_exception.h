// What an exception of a worker thread is wrapped in on its way to the reader.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/base/check.h"

namespace oneagent::data {

struct OA_API WorkerException : public std::exception {
  explicit WorkerException(std::exception_ptr original)
      : original_exception(std::move(original)),
        message("Caught exception in DataLoader worker thread.") {
    try {
      std::rethrow_exception(original_exception);
    } catch (const std::exception& error) {
      message += std::string(" Original message: ") + error.what();
    } catch (...) {  // of no known type: nothing to say
    }
  }
  const char* what() const noexcept override { return message.c_str(); }

  std::exception_ptr original_exception;
  std::string message;
};

}  // namespace oneagent::data
