// Precompiled for the layers above core/ops that use most ops.
#pragma once

#include "core/ops/ops.h"
