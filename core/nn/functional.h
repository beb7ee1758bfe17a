// All of nn::functional.
#pragma once

#include "core/nn/functional/activation.h"
#include "core/nn/functional/attention.h"
#include "core/nn/functional/conv.h"
#include "core/nn/functional/distance.h"
#include "core/nn/functional/dropout.h"
#include "core/nn/functional/embedding.h"
#include "core/nn/functional/linear.h"
#include "core/nn/functional/loss.h"
#include "core/nn/functional/norm.h"
#include "core/nn/functional/padding.h"
#include "core/nn/functional/pooling.h"
#include "core/nn/functional/vision.h"
