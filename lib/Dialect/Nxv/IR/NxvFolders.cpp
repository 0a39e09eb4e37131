#include "nxv/Dialect/Nxv/IR/Nxv.h"
