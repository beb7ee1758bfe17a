// The ops by which tensors become global, change their sharding and become plain again. The
// recorder of global tensors (core/dist/global_recorder.h) carries them out; here are their records
// and gradients.
#pragma once

#include "core/graph/op.h"
#include "core/tensor/global_parts.h"

namespace oneagent::distributed {

// Attributes: mesh (World::mesh_number), sharding (one code for each mesh dimension) and, where
// named, the logical sizes.
extern constinit const Op kReshard;   // (x; mesh, sharding, from): `from` is empty for a plain
                                      // tensor, of which this rank's part is taken
extern constinit const Op kToGlobal;  // (local; mesh, sharding, sizes)
extern constinit const Op kToLocal;   // (x; mesh, sharding, sizes): how x is placed

Attrs placement_attrs(int mesh, const Sharding& sharding);
Attrs reshard_attrs(int mesh, const Sharding& to, const Tensor& from);
int mesh_number_of(const Attrs& attrs);
Sharding sharding_of(const Attrs& attrs);

// How a gradient is placed for a value placed so: a value still to be reduced has the same gradient
// everywhere.
Sharding gradient_sharding(Sharding sharding);

}  // namespace oneagent::distributed
