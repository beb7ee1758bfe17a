// Collectives of gradients joined and moved beside compute, a pass over a rank's program: those of
// small gradients become one (a bucket), which is started as soon as its last gradient is there,
// runs on the rank's strand (core/dist/strand.h) while backward goes on, and is waited for before
// its results are read. The sums are the same, bit for bit.
#pragma once

#include "core/dist/reshard.h"
#include "core/graph/program.h"

namespace oneagent::distributed {

struct BucketOptions {
  double bytes = 0;     // a bucket holds no more, unless a gradient alone does
  bool overlap = true;  // else collectives are joined only
};

// Of reductions into memory outside: what else there is, such as what layers exchange, is read at
// once. With overlap two buckets are under way at most, whose gradients keep their memory. Every
// rank calls it on the same program.
void bucket_collectives(Program& program, const BucketOptions& options);

// A tensor of `sizes` of which this rank has `local`, and where it is to lie.
struct Moved {
  Tensor local;
  Shape sizes;
  Sharding from, to;
};
// reshard_local() of each, as memory of its own. Those of one reduction that are alike are one
// collective of up to `bytes`, with the same bits. Every rank of the mesh calls it.
std::vector<Tensor> reshard_in_buckets(const std::vector<Moved>& moved, const Mesh& mesh,
                                       double bytes);

extern constinit const Op kReduceBucket;  // (x...; group, reduce, axis, beside): all-reduced, or
                                          // reduce-scattered along `axis` (-1: all-reduced); with
                                          // `beside` the results are there after kWaitBeside
extern constinit const Op kWaitBeside;    // (y, x...; behind): y, when all buckets but the last
                                          // `behind` are through; the operands live until then

}  // namespace oneagent::distributed
