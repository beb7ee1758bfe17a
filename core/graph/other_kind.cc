#include "core/graph/other_kind.h"

namespace oneagent {
namespace {

constinit OtherKind other_kind = nullptr;

}  // namespace

void set_other_kind(OtherKind run) { other_kind = run; }

void run_other_kind(const Call& call) {
  OA_REQUIRE(other_kind != nullptr, call.op.name, ": sparse and complex tensors are not linked in");
  other_kind(call);
}

}  // namespace oneagent
