// torch::data: datasets, transforms, samplers and the loader.
#pragma once

#include "core/torch/data/chunk.h"
#include "core/torch/data/data_loader.h"
#include "core/torch/data/datasets.h"
#include "core/torch/data/example.h"
#include "core/torch/data/samplers.h"
#include "core/torch/data/transforms.h"
