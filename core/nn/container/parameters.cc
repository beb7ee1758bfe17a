#include "core/nn/container/parameter_dict.h"
#include "core/nn/container/parameter_list.h"

namespace oneagent::nn {
namespace {

void print_parameters(std::ostream& out, const char* name,
                      const OrderedDict<std::string, Tensor>& parameters) {
  out << "torch::nn::" << name << "(\n";
  for (const auto& entry : parameters)
    out << '(' << entry.key() << "): Parameter containing: [" << entry->scalar_type() << " of size "
        << entry->sizes() << "]\n";
  out << ')';
}

}  // namespace

void ParameterListImpl::pretty_print(std::ostream& out) const {
  print_parameters(out, "ParameterList", parameters_);
}
void ParameterDictImpl::pretty_print(std::ostream& out) const {
  print_parameters(out, "ParameterDict", parameters_);
}

}  // namespace oneagent::nn
