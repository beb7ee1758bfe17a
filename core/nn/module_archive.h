// How Module::save and Module::load reach the archives, which are in a layer above: core/io sets
// these two functions before there is an archive to call them with.
#pragma once

#include "core/nn/module.h"

namespace oneagent::nn {

struct ModuleArchive {
  void (*save)(const Module& module, serialize::OutputArchive& archive) = nullptr;
  void (*load)(Module& module, serialize::InputArchive& archive) = nullptr;
};

ModuleArchive& module_archive();  // of the process

}  // namespace oneagent::nn
