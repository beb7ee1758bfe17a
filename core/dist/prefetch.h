// Stage 3 of ZeRO beside compute, a pass over a rank's program: the parameters of the next calls
// are gathered on the rank's strand (core/dist/strand.h) while this one computes, as FSDP does
// (Zhao et al. 2023, section 3.3.2). The values are the same, and so is what is sent.
#pragma once

#include "core/graph/program.h"

namespace oneagent::distributed {

// All-gathers of memory from outside that no call writes are started when the parameters of
// `calls` calls before have come, and waited for where they stood; that many calls' parameters more
// are whole at a time. To be called behind bucket_collectives(), by every rank on the same
// program, of which no call is dropped afterwards: jobs of the strand are counted.
void prefetch_gathers(Program& program, int calls);

extern constinit const Op kGatherBeside;  // (x; group, axis, size): as all_gather, there after
                                          // kWaitBeside (core/dist/bucket.h)

}  // namespace oneagent::distributed
