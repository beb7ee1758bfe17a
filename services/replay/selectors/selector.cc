#include "services/replay/selectors/selector.h"

#include "core/base/check.h"
#include "services/replay/selectors/fifo.h"
#include "services/replay/selectors/lifo.h"
#include "services/replay/selectors/uniform.h"

namespace oneagent {

const std::vector<std::string>& selector_names() {
  static const std::vector<std::string> names = {"fifo", "lifo", "uniform"};
  return names;
}

std::unique_ptr<Selector> make_selector(const std::string& name) {
  if (name == "fifo") return std::make_unique<FifoSelector>();
  if (name == "lifo") return std::make_unique<LifoSelector>();
  if (name == "uniform") return std::make_unique<UniformSelector>();
  throw_error(str("replay: no selector \"", name, "\"", suggestion(name, selector_names())));
}

}  // namespace oneagent
