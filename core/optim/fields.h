// The named values of an optimizer's options or of the state of one parameter, shown one by one:
// saving, restoring and archives are written once, as visitors.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <tuple>

#include "core/tensor/tensor.h"

namespace oneagent::serialize {
class InputArchive;
class OutputArchive;
}  // namespace oneagent::serialize

namespace oneagent::optim {

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void field(const char* name, bool& value) = 0;
  virtual void field(const char* name, int64_t& value) = 0;
  virtual void field(const char* name, double& value) = 0;
  virtual void field(const char* name, std::tuple<double, double>& value) = 0;
  virtual void field(const char* name, std::optional<int64_t>& value) = 0;
  virtual void field(const char* name, std::optional<std::string>& value) = 0;
  virtual void field(const char* name, Tensor& value) = 0;  // of the parameter's shape
  // Of any shape, float64 or the parameter's type. Tensors that are undefined are not there yet.
  virtual void flat(const char* name, Tensor& value) = 0;
  virtual void flat(const char* name, std::deque<Tensor>& value) = 0;
};

}  // namespace oneagent::optim
