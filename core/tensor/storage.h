// A block of memory that tensors share: views of one tensor hold the same storage. Its version
// counts writes, so that autograd notices when a value that it saved was overwritten.
#pragma once

#include <functional>
#include <memory>

#include "core/tensor/allocator.h"
#include "core/tensor/ref.h"

namespace oneagent {

class Storage final : public RefCounted {
 public:
  explicit Storage(size_t bytes, Stream& stream)
      : data_(cpu_allocator().allocate(bytes, stream)), bytes_(bytes) {}
  // Memory of another owner; `deleter` runs when the last tensor lets go.
  Storage(void* data, size_t bytes, std::function<void(void*)> deleter)
      : data_(data),
        bytes_(bytes),
        deleter_(std::make_unique<std::function<void(void*)>>(std::move(deleter))) {}
  ~Storage() override {
    if (deleter_ == nullptr)
      free_cpu_block(data_, bytes_);
    else if (*deleter_)
      (*deleter_)(data_);
  }

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

 private:
  void* data_;
  size_t bytes_;
  uint32_t version_ = 0;
  std::unique_ptr<std::function<void(void*)>> deleter_;
};

}  // namespace oneagent
