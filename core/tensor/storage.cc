#include "core/tensor/storage.h"

#include "core/base/caller.h"
#include "core/base/check.h"
#include "core/base/text.h"

namespace oneagent {

void Storage::refuse_data(uint64_t id) {
  const std::string line = calling_line();
  if (id == 0)
    throw_error(
        str("the values of a global tensor are asked for, of which this rank holds a part; "
            "use to_whole(x) or to_local(x)",
            line.empty() ? "" : "; asked for at ", line));
  throw_error(str(
      "graph: the values of a tensor are asked for while a graph is recorded, when they are not "
      "known yet. Control that depends on values (if (x.item<float>() > 0), loops over nonzero()) "
      "belongs outside the graph, or must be written with tensor operations such as where()",
      line.empty() ? "" : "; asked for at ", line));
}

}  // namespace oneagent
