// Options of grid_path. Defaults suit maps with scattered obstacles; maps of rooms and corridors
// want memory_radius > 0.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"

namespace oneagent::grid_path {

struct GridPathOptions {
  std::string map;
  std::vector<std::string> rows;
  std::vector<std::string> scenarios;
  std::string mode = "train";
  int max_steps = 256;

  std::string frame = "goal";
  int radius = 5;
  int visit_radius = 5;
  int memory_radius = 0;
  int memory_block = 5;
  bool previous_action = true;

  double step_cost = 0.05;
  double goal_bonus = 1.0;
  double revisit_penalty = 0.02;

  double curriculum_distance = 0;
  int curriculum_episodes = 100;

  static void options(OptionList<GridPathOptions>& list) {
    using T = GridPathOptions;
    list.add("map", &T::map, "MovingAI .map file; empty = rows, or a small built-in map");
    list.add("rows", &T::rows, "the map itself, one text per row: . free, @ blocked");
    list.add("scenarios", &T::scenarios,
             "MovingAI .scen files: official queries, never drawn in training, walked in order by "
             "mode eval");
    list.add("mode", &T::mode, "train = draw other free pairs, eval = walk the official queries")
        .one_of({"train", "eval"});
    list.add("max_steps", &T::max_steps, "time limit of an episode in steps").between(1, 60000);
    list.add("frame", &T::frame,
             "goal = the view is turned and mirrored so that the goal lies ahead, map = as the map "
             "is")
        .one_of({"goal", "map"});
    list.add("radius", &T::radius, "cells seen in each direction; the window has (2 radius + 1)^2")
        .between(1, 32);
    list.add("visit_radius", &T::visit_radius, "own visits are shown within this radius")
        .between(1, 32);
    list.add("memory_radius", &T::memory_radius,
             "blocks in each direction of the remembered map (what was seen in this episode); 0 = "
             "none")
        .between(0, 12);
    list.add("memory_block", &T::memory_block,
             "side of a block of the remembered map in cells, odd")
        .between(1, 15);
    list.add("previous_action", &T::previous_action, "show the previous move");
    list.add("step_cost", &T::step_cost,
             "reward lost per unit of path length beyond the progress in straight octile distance")
        .between(0, 100);
    list.add("goal_bonus", &T::goal_bonus, "reward at the goal").between(0, 1000);
    list.add("revisit_penalty", &T::revisit_penalty,
             "reward lost per step onto a cell visited before")
        .between(0, 100);
    list.add(
            "curriculum_distance", &T::curriculum_distance,
            "longest straight distance of the first training episodes of a lane; 0 = no curriculum")
        .between(0, 100000);
    list.add("curriculum_episodes", &T::curriculum_episodes,
             "episodes of a lane over which that distance grows to the whole map")
        .at_least(1);
  }
};

}  // namespace oneagent::grid_path
