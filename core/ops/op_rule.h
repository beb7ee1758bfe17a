// Factor rules that several op files share.
#pragma once

#include <string>

#include "core/graph/rule.h"

namespace oneagent {

// "abcd": one letter for each of `count` dimensions, from `first`.
std::string rule_letters(size_t count, char first = 'a');

// Every dimension is whole and has a letter of its own: "ab,c->def;abcdef".
std::string closed_rule(Metas in, std::initializer_list<size_t> result_ranks);

// For ops with one result of the shape of input 0; whatever else they read, nothing may be split.
std::string closed_same_rule(Metas in, const Attrs& attrs);

// The same rule with nothing that may be split.
std::string closed_whole(const std::string& rule);

}  // namespace oneagent
