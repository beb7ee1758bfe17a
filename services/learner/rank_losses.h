// How often a learner begins again after a loss of ranks: always, unless that leads nowhere.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "core/base/text.h"

namespace oneagent {

class RankLosses final {
 public:
  // Notes a loss at this version of the weights. Error with the text: the same one at the same
  // version again, or the kMostInVain-th one in a row before a single new version.
  void note(const std::string& text, int64_t version) {
    const bool again = count_ > 0 && version == version_;
    in_vain_ = again ? in_vain_ + 1 : 1;
    if ((again && text == text_) || in_vain_ >= kMostInVain)
      throw_error(str(text, "; beginning again did not help"));
    ++count_;
    version_ = version;
    text_ = text;
  }
  int count() const { return count_; }

  static constexpr int kMostInVain = 5;

 private:
  int count_ = 0, in_vain_ = 0;
  int64_t version_ = 0;
  std::string text_;
};

}  // namespace oneagent
