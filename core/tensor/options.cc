#include "core/tensor/options.h"

#include <atomic>

namespace oneagent {
namespace {

std::atomic<DType> default_dtype{DType::kFloat32};

}  // namespace

DType get_default_dtype_value() { return default_dtype.load(std::memory_order_relaxed); }
void set_default_dtype_value(DType dtype) { default_dtype.store(dtype, std::memory_order_relaxed); }

TensorOptions TensorOptions::merge_in(const TensorOptions& other) const {
  TensorOptions merged = *this;
  const auto take = [](auto& into, const auto& from) {
    if (from) into = from;
  };
  take(merged.dtype_, other.dtype_);
  take(merged.device_, other.device_);
  take(merged.layout_, other.layout_);
  take(merged.requires_grad_, other.requires_grad_);
  take(merged.pinned_memory_, other.pinned_memory_);
  take(merged.memory_format_, other.memory_format_);
  return merged;
}

// As libtorch prints it.
std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
  const auto said = [](bool set) { return set ? "" : " (default)"; };
  const auto flag = [](bool on) { return on ? "true" : "false"; };
  out << std::boolalpha << "TensorOptions(dtype=" << options.dtype() << said(options.has_dtype())
      << ", device=" << options.device() << said(options.has_device())
      << ", layout=" << options.layout() << said(options.has_layout())
      << ", requires_grad=" << flag(options.requires_grad()) << said(options.has_requires_grad())
      << ", pinned_memory=" << flag(options.pinned_memory()) << said(options.has_pinned_memory())
      << ", memory_format=";
  if (options.has_memory_format())
    out << *options.memory_format_opt();
  else
    out << "(nullopt)";
  return out << ')';
}

}  // namespace oneagent
