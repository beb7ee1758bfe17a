// What a kind of device is to the rest: a folder's worth of code behind one entry. A file of this
// folder ends with OA_BACKEND(name); one written for a toolkit (.cu) is part of the build when the
// toolkit was found, so that a CPU build holds no name of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oneagent {

struct DeviceInfo {
  std::string kind;     // "cpu", "cuda"
  int index = 0;        // of its kind
  std::string name;     // "NVIDIA H200"
  std::string compute;  // instruction set or compute capability: "x86-64-v4", "9.0"
  int64_t units = 0;    // processors or multiprocessors that this process may use
  int64_t memory = 0;   // bytes
};

struct Backend {
  std::string kind;
  std::string toolkit;  // "CUDA 13.0"; empty: none
  // Devices of this kind that this process can use now; empty without hardware or driver.
  std::vector<DeviceInfo> (*devices)();
};

class BackendTable {
 public:
  void add(Backend backend) { entries_.push_back(std::move(backend)); }
  const std::vector<Backend>& entries() const { return entries_; }
  // Of all backends, in the order of their names and indices.
  std::vector<DeviceInfo> devices() const {
    std::vector<DeviceInfo> all;
    for (const Backend& backend : entries_)
      for (DeviceInfo& device : backend.devices()) all.push_back(std::move(device));
    return all;
  }

 private:
  std::vector<Backend> entries_;
};

// Generated: adds every file of core/backends/ that was built.
void register_all(BackendTable& table);

}  // namespace oneagent

// Ends the file of a backend; `name` is the name of the file.
#define OA_BACKEND(name, toolkit, devices)                        \
  void register_backend_##name(::oneagent::BackendTable& table) { \
    table.add({#name, toolkit, devices});                         \
  }
