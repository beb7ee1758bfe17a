// Modules in archives, in libtorch's layout: parameters and buffers by name, children nested.
#include "core/io/archive.h"

#include "core/nn/module.h"

namespace oneagent::nn {

void Module::save(serialize::OutputArchive& archive) const {
  for (const auto& entry : named_parameters(/*recurse=*/false))
    archive.write(entry.key(), entry.value());
  for (const auto& entry : named_buffers(/*recurse=*/false))
    archive.write(entry.key(), entry.value(), /*is_buffer=*/true);
  for (const auto& entry : named_children()) {
    if (!entry.value()->is_serializable()) continue;
    serialize::OutputArchive child;
    entry.value()->save(child);
    archive.write(entry.key(), child);
  }
}

void Module::load(serialize::InputArchive& archive) {
  for (auto& entry : named_parameters(/*recurse=*/false)) {
    Tensor tensor = entry.value();
    archive.read(entry.key(), tensor);
  }
  for (auto& entry : named_buffers(/*recurse=*/false)) {
    Tensor tensor = entry.value();
    archive.read(entry.key(), tensor, /*is_buffer=*/true);
  }
  for (const auto& entry : named_children()) {
    if (!entry.value()->is_serializable()) continue;
    serialize::InputArchive child;
    // A module without state has no entry in files that Python wrote.
    if (!archive.try_read(entry.key(), child) && entry.value()->named_state().empty()) continue;
    if (child.keys().empty() && !entry.value()->named_state().empty())
      archive.read(entry.key(), child);
    entry.value()->load(child);
  }
}

}  // namespace oneagent::nn
