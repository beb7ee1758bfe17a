// All of core/nn.
#pragma once

#include "core/nn/activation.h"
#include "core/nn/clip_grad.h"
#include "core/nn/conv.h"
#include "core/nn/init.h"
#include "core/nn/linear.h"
#include "core/nn/module.h"
#include "core/nn/recurrent.h"
#include "core/nn/sequential.h"
