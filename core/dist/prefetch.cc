#include "core/dist/prefetch.h"

#include <algorithm>
#include <map>

#include "core/dist/bucket.h"
#include "core/dist/collective.h"
#include "core/dist/world.h"
#include "core/graph/context.h"

namespace oneagent::distributed {
namespace {

void gather_beside(Stream&, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  World& world = World::current("prefetch");
  comm::Communicator& group = world.communicator(static_cast<int>(attrs.integer(0)));
  world.strand().start("all_gather", [&group, part = in[0], whole = out[0],
                                      axis = static_cast<size_t>(attrs.integer(1))] {
    gather_parts(context().stream, group, part, whole, axis);
  });
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  Shape sizes = in[0]->sizes;
  sizes[static_cast<size_t>(attrs.integer(1))] = attrs.integer(2);
  out.add(sizes, in[0]->dtype);
}

constexpr AttrSpec kAttrs[] = {
    {"group", AttrKind::kInt}, {"axis", AttrKind::kInt}, {"size", AttrKind::kInt}};

constexpr Op record() {
  Op op;
  op.name = "gather_beside";
  op.attrs = kAttrs;
  op.infer = infer;
  op.rule = {.factors = "...->...", .closed = ""};
  op.half = op.complex = true;
  op.kernels[0] = gather_beside;
  return op;
}

class Prefetch {
 public:
  Prefetch(Program& program, size_t calls) : program_(program), calls_(calls) {}

  void run() {
    find_gathers();
    if (groups_.empty()) return;
    std::vector<ProgramNode> old = std::move(program_.nodes);
    program_.nodes.clear();
    size_t started = 0;  // groups
    for (size_t i = 0; i < old.size(); ++i) {
      const auto found = group_at_.find(i);
      if (found != group_at_.end()) {
        const size_t last = std::min(found->second + calls_, groups_.size() - 1);
        // This group first, where it is not under way; then those behind it, once it has come.
        while (started <= found->second) start(groups_[started++], old);
        wait_for(groups_[found->second], old);
        while (started <= last) start(groups_[started++], old);
      }
      if (is_gather_[i]) continue;
      note_bucket(old[i]);
      program_.nodes.push_back(std::move(old[i]));
    }
  }

 private:
  using Group = std::vector<size_t>;  // nodes: what one call reads

  // Gathers with nothing but views between them are of the call behind them.
  void find_gathers() {
    std::vector<bool> written(program_.buffers.size());
    for (const ProgramNode& node : program_.nodes)
      if (node.op->alias_of < 0)
        for (const ValueId value : node.out) written[index(program_.buffer(value))] = true;
    std::vector<bool> made(program_.values.size());
    is_gather_.assign(program_.nodes.size(), false);
    bool open = false;
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      const ProgramNode& node = program_.nodes[i];
      const bool gathers = node.op == &kAllGather && !made[index(node.in[0])] &&
                           program_.buffer_of(node.in[0]).kind == BufferKind::kBound &&
                           !written[index(program_.buffer(node.in[0]))] &&
                           program_.buffer_of(node.out[0]).kind == BufferKind::kTemporary;
      for (const ValueId value : node.out) made[index(value)] = true;
      if (gathers) {
        if (!open) {
          group_at_[i] = groups_.size();
          groups_.emplace_back();
        }
        groups_.back().push_back(i);
        is_gather_[i] = open = true;
      } else if (node.op->alias_of < 0) {
        open = false;
      }
    }
  }

  void start(const Group& group, const std::vector<ProgramNode>& old) {
    World& world = World::current("prefetch");
    for (const size_t member : group) {
      ProgramNode node = old[member];
      node.op = &kGatherBeside;
      node.attrs = Attrs()
                       .add(world.group_beside(static_cast<int>(old[member].attrs.integer(0))))
                       .add(old[member].attrs.integer(1))
                       .add(old[member].attrs.integer(2));
      program_.nodes.push_back(std::move(node));
      job_of_[member] = jobs_++;
    }
  }

  void wait_for(const Group& group, const std::vector<ProgramNode>& old) {
    for (const size_t member : group) {
      ProgramNode node = old[member];
      node.op = &kWaitBeside;
      node.in_place = true;
      node.attrs = Attrs().add(jobs_ - 1 - job_of_.at(member));
      node.recomputed = false;
      node.in = {old[member].out[0], old[member].in[0]};
      program_.nodes.push_back(std::move(node));
    }
  }

  // Buckets share the strand: what a wait leaves under way is counted anew.
  void note_bucket(ProgramNode& node) {
    if (node.op == &kReduceBucket && node.attrs.flag(3)) bucket_jobs_.push_back(jobs_++);
    if (node.op != &kWaitBeside) return;
    const auto behind = static_cast<size_t>(node.attrs.integer(0));
    node.attrs = Attrs().add(jobs_ - 1 - bucket_jobs_[bucket_jobs_.size() - 1 - behind]);
  }

  static size_t index(int32_t id) { return static_cast<size_t>(id); }

  Program& program_;
  const size_t calls_;
  std::vector<Group> groups_;
  std::map<size_t, size_t> group_at_;  // by its first node
  std::vector<bool> is_gather_;        // by node
  std::map<size_t, int64_t> job_of_;   // by node
  std::vector<int64_t> bucket_jobs_;
  int64_t jobs_ = 0;
};

}  // namespace

constinit const Op kGatherBeside = record();

void prefetch_gathers(Program& program, int calls) {
  if (calls > 0) Prefetch(program, static_cast<size_t>(calls)).run();
}

}  // namespace oneagent::distributed
