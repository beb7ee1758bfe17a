#include "core/service/wait_chain.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/service/findings.h"

namespace oneagent {
namespace {

// A service that cannot reach the store works on.
bool holds_up(const Finding& trouble) {
  return trouble.kind <= Finding::Kind::kWeightsCut &&
         !(trouble.kind == Finding::Kind::kProblem && trouble.subject == "store");
}

bool is_gone(const Finding& trouble) { return trouble.kind <= Finding::Kind::kSilent; }

class ChainWalk {
 public:
  ChainWalk(const std::vector<SeenService>& services, const std::vector<Finding>& troubles)
      : services_(services), troubles_(troubles) {}

  // From a name on: a service, a part of one, or a plural role.
  WaitChain from(std::string name) {
    while (true) {
      if (std::find(chain_.names.begin(), chain_.names.end(), name) != chain_.names.end())
        return circle(name);
      chain_.names.push_back(name);
      if (is_plural(name)) {
        if (!step_to_member(name)) return std::move(chain_);
        name = next_;
        continue;
      }
      if (const Finding* trouble = trouble_of(service_of(name))) return end(trouble_text(*trouble));
      if (const WaitRow* row = longest_wait(name)) {
        reason_ = row->reason;
        name = row->holder;
        continue;
      }
      if (!step_upstream(name)) return end(plain_text(name));
      name = next_;
    }
  }

  const Finding* trouble_of(const std::string& service) const {
    for (const Finding& trouble : troubles_)
      if (trouble.service == service && holds_up(trouble)) return &trouble;
    return nullptr;
  }
  // The longest wait of a service or of a part of it.
  const WaitRow* longest_wait(const std::string& name) const {
    const WaitRow* longest = nullptr;
    for (const SeenService& service : services_) {
      if (is_over(service)) continue;
      for (const WaitRow& row : service.beat.waits)
        if ((row.waiter == name || row.waiter.rfind(name + "/", 0) == 0) &&
            (longest == nullptr || row.waited_ms > longest->waited_ms))
          longest = &row;
    }
    return longest;
  }

 private:
  static std::string service_of(const std::string& name) { return name.substr(0, name.find('/')); }
  bool is_service(const std::string& name) const {
    return std::any_of(services_.begin(), services_.end(),
                       [&](const SeenService& seen) { return seen.beat.service == name; });
  }
  std::vector<std::string> members(const std::string& plural) const {
    std::vector<std::string> names;
    for (const SeenService& seen : services_)
      if (role_of(seen.beat.service) + "s" == plural && seen.beat.state != ServiceState::kDone)
        names.push_back(seen.beat.service);
    return names;
  }
  bool is_plural(const std::string& name) const {
    return name == "actors" ||
           (!is_service(name) && name.find('/') == std::string::npos && !members(name).empty());
  }

  // The member in the worst state, else the one that waits longest; false: this is the end.
  bool step_to_member(const std::string& plural) {
    const std::vector<std::string> names = members(plural);
    if (names.empty()) {
      end(str(plural, " (none is there)"));
      return false;
    }
    const Finding* worst = nullptr;
    const WaitRow* longest = nullptr;
    std::string longest_name;
    for (const std::string& name : names) {
      const Finding* trouble = trouble_of(name);
      if (trouble != nullptr && (worst == nullptr || trouble->kind < worst->kind)) worst = trouble;
      const WaitRow* row = longest_wait(name);
      if (row != nullptr && (longest == nullptr || row->waited_ms > longest->waited_ms)) {
        longest = row;
        longest_name = name;
      }
    }
    if (worst == nullptr && longest == nullptr) {
      end(names.size() == 1 ? plain_text(names[0])
                            : str(plural, " (", names.size(), " running", with_reason(), ")"));
      return false;
    }
    next_ = worst != nullptr ? worst->service : longest_name;
    return true;
  }

  bool is_stalled(const std::string& name) const {
    const WaitRow* row = longest_wait(name);
    return row != nullptr && row->waited_ms >= kStalledAfterMs;
  }

  // A part that holds someone up and says nothing itself: a table that lacks items waits for
  // actors (the others would have filled it, did it not need the one that is gone), a full one for
  // the learner.
  bool step_upstream(const std::string& name) {
    if (name.find('/') == std::string::npos || role_of(service_of(name)) != "replay" ||
        chain_.names.size() < 2)
      return false;
    const std::string asker = role_of(service_of(chain_.names[chain_.names.size() - 2]));
    if (asker == "learner") {
      const std::vector<std::string> actors = members("actors");
      next_ = "actors";
      return actors.empty() ||
             std::any_of(actors.begin(), actors.end(),
                         [&](const std::string& actor) { return trouble_of(actor) != nullptr; }) ||
             std::any_of(actors.begin(), actors.end(),
                         [&](const std::string& actor) { return is_stalled(actor); });
    }
    next_ = "learner";
    const bool asked_by_learner =
        std::find(chain_.names.begin(), chain_.names.end(), next_) != chain_.names.end();
    return asker == "actor" && !asked_by_learner && name.find("/disk") == std::string::npos &&
           (trouble_of("learner") != nullptr || longest_wait("learner") != nullptr);
  }

  std::string with_reason() const { return reason_.empty() ? "" : str("; ", reason_); }
  std::string plain_text(const std::string& name) const {
    if (name.find('/') != std::string::npos)
      return reason_.empty() ? name : str(name, ": ", reason_);
    for (const SeenService& seen : services_)
      if (seen.beat.service == name)
        return str(name, " (", state_name(seen.beat.state), with_reason(), ")");
    return str(name, " (not there)");
  }
  std::string trouble_text(const Finding& trouble) const {
    switch (trouble.kind) {
      case Finding::Kind::kLost:
        return str(trouble.service, " (lost, silent for ", seconds_text(trouble.for_ms), ")");
      case Finding::Kind::kSilent:
        return str(trouble.service, " (silent for ", seconds_text(trouble.for_ms), ")");
      default:
        return trouble.text;
    }
  }
  WaitChain end(std::string root) {
    chain_.root = std::move(root);
    return chain_;
  }
  WaitChain circle(const std::string& name) {
    std::vector<std::string> ring(std::find(chain_.names.begin(), chain_.names.end(), name),
                                  chain_.names.end());
    ring.push_back(name);
    chain_.names.push_back(name);
    return end("itself, in a circle: " + join(ring, " -> "));
  }

  const std::vector<SeenService>& services_;
  const std::vector<Finding>& troubles_;
  WaitChain chain_;
  std::string next_;
  std::string reason_;  // of the last wait that was followed
};

// What matters most first.
int rank(const std::string& role) {
  if (role == "learner") return 0;
  if (role == "actor") return 1;
  return role == "evaluator" || role == "gateway" ? -1 : 2;
}

}  // namespace

WaitChain find_wait_chain(const std::vector<SeenService>& services,
                          const std::vector<Finding>& troubles) {
  std::vector<const SeenService*> ordered;
  for (const SeenService& service : services)
    if (service.beat.state != ServiceState::kDone && rank(role_of(service.beat.service)) >= 0)
      ordered.push_back(&service);
  std::stable_sort(ordered.begin(), ordered.end(), [](const SeenService* a, const SeenService* b) {
    return rank(role_of(a->beat.service)) < rank(role_of(b->beat.service));
  });
  for (const SeenService* service : ordered) {
    const std::string& name = service->beat.service;
    ChainWalk walk(services, troubles);
    const WaitRow* row = walk.longest_wait(name);
    const bool stalled = row != nullptr && waited_ms(*service, *row) >= kStalledAfterMs;
    const Finding* trouble = walk.trouble_of(name);
    const bool missed = trouble != nullptr && is_gone(*trouble) &&
                        role_of(name) != "actor";  // other actors go on without one
    if (stalled || missed) return walk.from(name);
  }
  return {};
}

}  // namespace oneagent
