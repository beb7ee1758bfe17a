// All of nn::functional.
#pragma once

#include "core/nn/functional/conv.h"
#include "core/nn/functional/linear.h"
#include "core/nn/functional/norm.h"
#include "core/nn/functional/padding.h"
#include "core/nn/functional/pooling.h"
