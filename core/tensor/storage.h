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
  // Without memory: of a value that is recorded instead of computed (core/graph/capture.h), which
  // knows it by this number, or, with number 0, of a global tensor (core/tensor/global_parts.h).
  struct Symbolic {
    uint64_t id = 0;
  };
  Storage(Symbolic value, size_t bytes)
      : data_(nullptr), bytes_(bytes), id_(value.id), symbolic_(true) {}
  explicit Storage(size_t bytes, Stream& stream)
      : data_(cpu_allocator().allocate(bytes, stream)), bytes_(bytes) {}
  // Memory of another owner; `deleter` runs when the last tensor lets go.
  Storage(void* data, size_t bytes, std::function<void(void*)> deleter)
      : data_(data),
        bytes_(bytes),
        deleter_(std::make_unique<std::function<void(void*)>>(std::move(deleter))) {}
  ~Storage() override {
    if (symbolic_) return;
    if (deleter_ == nullptr)
      free_cpu_block(data_, bytes_);
    else if (*deleter_)
      (*deleter_)(data_);
  }

  void* data() const {
    if (symbolic_) [[unlikely]]
      refuse_data(id_);
    return data_;
  }
  bool symbolic() const { return symbolic_; }
  uint64_t symbolic_id() const { return id_; }
  size_t bytes() const { return bytes_; }
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

 private:
  [[noreturn]] static void refuse_data(uint64_t id);  // core/tensor/storage.cc

  void* data_;
  size_t bytes_;
  uint32_t version_ = 0;
  uint64_t id_ = 0;
  bool symbolic_ = false;
  std::unique_ptr<std::function<void(void*)>> deleter_;
};

struct DataPtr {  // what StorageHandle::data_ptr() returns
  void* pointer = nullptr;
  void* get() const { return pointer; }
  explicit operator bool() const { return pointer != nullptr; }
};

// c10::Storage: what Tensor::storage() returns.
class StorageHandle : public Ref<Storage> {
 public:
  StorageHandle() = default;
  explicit StorageHandle(const Ref<Storage>& storage) : Ref<Storage>(storage) {}
  void* data() const { return get()->data(); }
  template <class T>
  T* data() const {
    return static_cast<T*>(data());
  }
  template <class T>
  T* unsafe_data() const {
    return static_cast<T*>(data());
  }
  DataPtr data_ptr() const { return {data()}; }
  size_t nbytes() const { return get()->bytes(); }
  size_t use_count() const { return get()->use_count() - 1; }  // without this handle
  bool unique() const { return use_count() == 1; }
  bool is_alias_of(const StorageHandle& other) const { return get() == other.get(); }
  Storage* unsafeGetStorageImpl() const { return get(); }
};

}  // namespace oneagent
