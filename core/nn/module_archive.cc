#include "core/nn/module_archive.h"

namespace oneagent::nn {

ModuleArchive& module_archive() {
  static ModuleArchive functions;
  return functions;
}

void Module::save(serialize::OutputArchive& archive) const {
  OA_REQUIRE(module_archive().save != nullptr, name(), ": no archives are linked to this program");
  module_archive().save(*this, archive);
}

void Module::load(serialize::InputArchive& archive) {
  OA_REQUIRE(module_archive().load != nullptr, name(), ": no archives are linked to this program");
  module_archive().load(*this, archive);
}

}  // namespace oneagent::nn
