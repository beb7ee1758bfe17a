// A rendezvous through the metadata store of the run: every process opens the store on its own.
#pragma once

#include "core/comm/rendezvous.h"
#include "core/store/store.h"

namespace oneagent {

// Strand: the store's. The store must outlive it.
class StoreRendezvous final : public comm::Rendezvous {
 public:
  explicit StoreRendezvous(Store& store) : store_(store) {}
  Status put(const std::string& key, const std::string& value) override;
  Result<std::string> wait(const std::string& key, Deadline deadline) override;

 private:
  Store& store_;
};

}  // namespace oneagent
