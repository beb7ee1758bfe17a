// Collectives as ops on this rank's part of a tensor, so that a graph records them like any op.
// Every rank of the group calls them in the same order.
#pragma once

#include "core/comm/communicator.h"
#include "core/graph/op.h"

namespace oneagent::distributed {

extern constinit const Op kAllReduce;      // (x; group, reduce)
extern constinit const Op kAllGather;      // (x; group, axis, size): parts of axis joined to `size`
extern constinit const Op kReduceScatter;  // (x; group, axis, reduce): this rank's part of the sum
extern constinit const Op kAllToAll;   // (x; group, to, from, size): axis `from` joined, `to` split
extern constinit const Op kTakePart;   // (x; group, axis): this rank's part of axis
extern constinit const Op kPlacePart;  // (x; group, axis, size): zeros but for this rank's part
extern constinit const Op kKeepFirst;  // (x; group): zeros on all ranks but the first
extern constinit const Op kFromOwner;  // (x; group, owner, sizes): what the owner has, on all ranks
extern constinit const Op kKeepOwned;  // (x; group, owner): x on the owner, else nothing

// What kAllGather does, on a group of the caller's choice and in any thread: parts of `axis` joined
// to out, whose size along it is the sum.
void gather_parts(Stream& stream, comm::Communicator& group, const Tensor& part, const Tensor& out,
                  size_t axis);

bool is_collective(const Op& op);  // one that moves data between ranks

// One step of a reshard. `extents` are the sizes of the tensor before the group's mesh dimension
// splits any of them.
Tensor change_placement(const Tensor& local, const Shape& extents, int group, const Placement& from,
                        const Placement& to);

}  // namespace oneagent::distributed
