#include "core/dist/bucket.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "core/dist/collective.h"
#include "core/dist/world.h"
#include "core/graph/context.h"
#include "core/kernels/copy.h"

namespace oneagent::distributed {
namespace {

constexpr AttrSpec kBucketAttrs[] = {{"group", AttrKind::kInt},
                                     {"reduce", AttrKind::kInt},
                                     {"axis", AttrKind::kInt},
                                     {"beside", AttrKind::kBool}};
constexpr AttrSpec kWaitAttrs[] = {{"behind", AttrKind::kInt}};
constexpr size_t kUnderWay = 2;  // buckets

comm::Communicator& group_of(const Attrs& attrs) {
  return World::current("bucket").communicator(static_cast<int>(attrs.integer(0)));
}

void infer_bucket(Metas in, const Attrs& attrs, Inferred& out) {
  const int64_t axis = attrs.integer(2);
  for (const TensorMeta* meta : in) {
    Shape sizes = meta->sizes;
    if (axis >= 0) {
      const comm::Communicator& group = group_of(attrs);
      int64_t& size = sizes[static_cast<size_t>(axis)];
      size = part_of(size, group.size(), group.rank()).length;
    }
    out.add(sizes, meta->dtype);
  }
}

// The part of x at `range` of `axis`: a view.
Tensor slice_of(const Tensor& x, size_t axis, const AxisRange& range) {
  TensorMeta meta = x.impl().meta;
  meta.sizes[axis] = range.length;
  meta.offset += range.begin * meta.strides[axis];
  return Tensor(make_ref<TensorImpl>(std::move(meta), x.impl().storage));
}

// A place of the shape of `like` in flat memory.
Tensor place_in(const Tensor& flat, int64_t at, const Shape& sizes) {
  TensorMeta meta = flat.impl().meta;
  meta.sizes = sizes;
  meta.strides = contiguous_strides(sizes);
  meta.offset = at;
  return Tensor(make_ref<TensorImpl>(std::move(meta), flat.impl().storage));
}

struct Job {
  comm::Communicator& group;
  Reduce reduce;
  int64_t axis;
  std::vector<Tensor> in, out;

  void all_reduce(Stream& stream) const {
    if (in.size() == 1) {
      copy_into(stream, out[0], in[0]);
      group.all_reduce(out[0].data_ptr(), static_cast<size_t>(out[0].numel()), out[0].dtype(),
                       reduce);
      return;
    }
    int64_t all = 0;
    for (const Tensor& x : in) all += x.numel();
    const Tensor flat = empty_on(stream, {all}, in[0].dtype());
    int64_t at = 0;
    for (const Tensor& x : in) {
      copy_into(stream, place_in(flat, at, x.sizes()), x);
      at += x.numel();
    }
    group.all_reduce(flat.data_ptr(), static_cast<size_t>(all), flat.dtype(), reduce);
    give(stream, flat);
  }

  void reduce_scatter(Stream& stream) const {
    const auto along = static_cast<size_t>(axis);
    int64_t all = 0, own = 0, at = 0;
    for (const Tensor& x : in) all += x.numel();
    for (const Tensor& x : out) own += x.numel();
    const Tensor flat = empty_on(stream, {all}, in[0].dtype());
    const Tensor reduced = empty_on(stream, {own}, in[0].dtype());
    std::vector<size_t> counts;
    for (int rank = 0; rank < group.size(); ++rank) {
      const int64_t begin = at;
      for (const Tensor& x : in) {
        const Tensor part = slice_of(x, along, part_of(x.sizes()[along], group.size(), rank));
        copy_into(stream, place_in(flat, at, part.sizes()), part);
        at += part.numel();
      }
      counts.push_back(static_cast<size_t>(at - begin));
    }
    group.reduce_scatter(flat.data_ptr(), reduced.data_ptr(), counts, flat.dtype(), reduce);
    give(stream, reduced);
  }

  void give(Stream& stream, const Tensor& flat) const {
    int64_t at = 0;
    for (const Tensor& y : out) {
      copy_into(stream, y, place_in(flat, at, y.sizes()));
      at += y.numel();
    }
  }

  void run(Stream& stream) const { axis < 0 ? all_reduce(stream) : reduce_scatter(stream); }
};

void reduce_bucket(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  Job job{group_of(attrs), static_cast<Reduce>(attrs.integer(1)), attrs.integer(2), {}, {}};
  for (size_t i = 0; i < in.size(); ++i) job.in.push_back(in[i]);
  job.out.assign(out.begin(), out.end());
  if (!attrs.flag(3)) return job.run(stream);
  World::current("bucket").strand().start(job.axis < 0 ? "all_reduce" : "reduce_scatter",
                                          [job = std::move(job)] { job.run(context().stream); });
}

void infer_wait(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }

void wait_beside(Stream&, const Attrs& attrs, Inputs, std::span<Tensor>) {
  World::current("bucket").strand().wait(static_cast<uint64_t>(attrs.integer(0)));
}

constexpr Op record(const char* name, std::span<const AttrSpec> attrs,
                    void (*infer)(Metas, const Attrs&, Inferred&), Kernel kernel, bool in_place) {
  Op op;
  op.name = name;
  op.attrs = attrs;
  op.infer = infer;
  op.rule = {.factors = "...->...", .closed = ""};
  op.in_place = in_place;
  op.half = op.complex = true;
  op.kernels[0] = kernel;
  return op;
}

// Reductions that may be one.
using Kind = std::tuple<bool, int64_t, int64_t, int64_t, DType>;  // scatters, group, reduce, axis

struct Bucket {
  Kind kind;
  std::vector<size_t> members;  // nodes
  double bytes = 0;
  size_t until = 0;  // the first node that reads or writes what the strand works on
};

class Bucketing {
 public:
  Bucketing(Program& program, const BucketOptions& options)
      : program_(program), options_(options), bucket_of_(program.nodes.size(), kNone) {}

  void run() {
    find_uses();
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      std::erase_if(open_, [&](const auto& entry) { return buckets_[entry.second].until <= i; });
      if (joins(program_.nodes[i])) join(i);
    }
    if (buckets_.empty()) return;
    std::vector<ProgramNode> old = std::move(program_.nodes);
    program_.nodes.clear();
    for (size_t i = 0; i < old.size(); ++i) {
      while (!under_way_.empty() && least_until() <= i) wait_for_first(old);
      const size_t bucket = bucket_of_[i];
      if (bucket == kNone) {
        program_.nodes.push_back(std::move(old[i]));
      } else if (buckets_[bucket].members.back() == i) {
        start(bucket, old);
      }
    }
    while (!under_way_.empty()) wait_for_first(old);
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  bool joins(const ProgramNode& node) const {
    if ((node.op != &kAllReduce && node.op != &kReduceScatter) || node.in_place) return false;
    return program_.buffer_of(node.out[0]).kind == BufferKind::kBound &&
           program_.buffer_of(node.in[0]).kind == BufferKind::kTemporary &&
           World::current("bucket").communicator(static_cast<int>(node.attrs.integer(0))).size() >
               1;
  }

  Kind kind_of(const ProgramNode& node) const {
    const bool scatters = node.op == &kReduceScatter;
    return {scatters, node.attrs.integer(0), node.attrs.integer(scatters ? 2 : 1),
            scatters ? node.attrs.integer(1) : -1, program_.meta(node.in[0]).dtype};
  }

  // For each node the next one that reads or writes a buffer, and that writes it.
  void find_uses() {
    next_use_.resize(program_.buffers.size());
    next_write_.resize(program_.buffers.size());
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      const ProgramNode& node = program_.nodes[i];
      if (node.op->alias_of >= 0) continue;
      for (const ValueId value : node.in)
        if (value != kNoValue) next_use_[buffer(value)].push_back(i);
      for (const ValueId value : node.out) {
        next_use_[buffer(value)].push_back(i);
        next_write_[buffer(value)].push_back(i);
      }
    }
  }
  size_t buffer(ValueId value) const { return static_cast<size_t>(program_.buffer(value)); }
  size_t after(const std::vector<size_t>& nodes, size_t node) const {
    const auto found = std::upper_bound(nodes.begin(), nodes.end(), node);
    return found == nodes.end() ? program_.nodes.size() : *found;
  }

  void join(size_t index) {
    const ProgramNode& node = program_.nodes[index];
    const Kind kind = kind_of(node);
    const double bytes = static_cast<double>(program_.meta(node.in[0]).sizes.numel()) *
                         static_cast<double>(size_of(program_.meta(node.in[0]).dtype));
    const auto found = open_.find(kind);
    if (found == open_.end() || buckets_[found->second].bytes + bytes > options_.bytes) {
      if (found != open_.end()) open_.erase(found);
      open_[kind] = buckets_.size();
      buckets_.push_back({kind, {}, 0, program_.nodes.size()});
    }
    Bucket& bucket = buckets_[open_.at(kind)];
    bucket.members.push_back(index);
    bucket.bytes += bytes;
    bucket.until = std::min({bucket.until, after(next_use_[buffer(node.out[0])], index),
                             after(next_write_[buffer(node.in[0])], index)});
    bucket_of_[index] = open_.at(kind);
  }

  void start(size_t index, std::vector<ProgramNode>& old) {
    const Bucket& bucket = buckets_[index];
    if (!options_.overlap && bucket.members.size() == 1)
      return program_.nodes.push_back(std::move(old[bucket.members[0]]));
    const auto [scatters, group, reduce, axis, dtype] = bucket.kind;
    World& world = World::current("bucket");
    const int used =
        options_.overlap ? world.group_beside(static_cast<int>(group)) : static_cast<int>(group);
    ProgramNode node;
    node.op = &kReduceBucket;
    node.attrs.add(used).add(reduce).add(axis).add(options_.overlap);
    for (const size_t member : bucket.members) {
      node.in.push_back(old[member].in[0]);
      node.out.push_back(old[member].out[0]);
    }
    program_.nodes.push_back(std::move(node));
    if (!options_.overlap) return;
    ++started_;
    while (under_way_.size() >= kUnderWay) wait_for_first(old);
    under_way_.push_back(index);
  }

  size_t least_until() const {
    size_t least = program_.nodes.size() + bucket_of_.size();
    for (const size_t index : under_way_) least = std::min(least, buckets_[index].until);
    return least;
  }

  void wait_for_first(const std::vector<ProgramNode>& old) {
    const Bucket& bucket = buckets_[under_way_.front()];
    under_way_.pop_front();
    const auto behind = static_cast<int64_t>(started_ - ++waited_);
    for (const size_t member : bucket.members) {
      ProgramNode node;
      node.op = &kWaitBeside;
      node.in_place = true;
      node.attrs.add(behind);
      node.in = {old[member].out[0], old[member].in[0]};
      node.out = {old[member].out[0]};
      program_.nodes.push_back(std::move(node));
    }
  }
  Program& program_;
  const BucketOptions options_;
  std::vector<size_t> bucket_of_;  // by node
  std::vector<Bucket> buckets_;
  std::map<Kind, size_t> open_;
  std::vector<std::vector<size_t>> next_use_, next_write_;  // by buffer
  std::deque<size_t> under_way_;
  size_t started_ = 0, waited_ = 0;
};

}  // namespace

constinit const Op kReduceBucket =
    record("reduce_bucket", kBucketAttrs, infer_bucket, reduce_bucket, false);
constinit const Op kWaitBeside = record("wait_beside", kWaitAttrs, infer_wait, wait_beside, true);

std::vector<Tensor> reshard_in_buckets(const std::vector<Moved>& moved, const Mesh& mesh,
                                       double bytes) {
  const NoGradGuard no_grad;
  World& world = World::current("bucket");
  std::vector<Tensor> out(moved.size());
  std::map<Kind, std::vector<size_t>> open;
  std::map<Kind, double> held;
  const auto flush = [&](const Kind& kind) {
    const auto [scatters, group, reduce, axis, dtype] = kind;
    Job job{world.communicator(static_cast<int>(group)), static_cast<Reduce>(reduce), axis, {}, {}};
    Stream& stream = context().stream;
    for (const size_t member : open[kind]) {
      job.in.push_back(moved[member].local);
      Shape sizes = moved[member].local.sizes();
      if (scatters) {
        int64_t& size = sizes[static_cast<size_t>(axis)];
        size = part_of(size, job.group.size(), job.group.rank()).length;
      }
      job.out.push_back(empty_on(stream, sizes, dtype));
      out[member] = job.out.back();
    }
    job.run(stream);
    open.erase(kind);
    held.erase(kind);
  };
  for (size_t i = 0; i < moved.size(); ++i) {
    const auto& [local, sizes, from, to] = moved[i];
    const std::vector<ReshardStep> path =
        reshard_path(sizes, local.element_size(), mesh, from, to, world.cost());
    if (path.size() != 1 || !path[0].from.is_partial() || path[0].to.is_partial()) {
      out[i] = reshard_local(local, sizes, mesh, from, to);
      if (out[i].is_alias_of(local)) {
        const Tensor copy = empty_on(context().stream, local.sizes(), local.dtype());
        copy_into(context().stream, copy, local);
        out[i] = copy;
      }
      continue;
    }
    const bool scatters = path[0].to.is_split();
    const Kind kind{scatters, world.group(mesh, path[0].dim),
                    static_cast<int64_t>(path[0].from.reduce),
                    scatters ? path[0].to.axis : int64_t{-1}, local.dtype()};
    const auto own = static_cast<double>(local.nbytes());
    if (open.contains(kind) && held[kind] + own > bytes) flush(kind);
    open[kind].push_back(i);
    held[kind] += own;
  }
  while (!open.empty()) flush(Kind(open.begin()->first));
  return out;
}

void bucket_collectives(Program& program, const BucketOptions& options) {
  Bucketing(program, options).run();
}

}  // namespace oneagent::distributed
