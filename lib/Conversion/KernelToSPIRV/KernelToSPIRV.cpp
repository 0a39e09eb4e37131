//===- KernelToSPIRV.cpp - turns kernels into SPIR-V modules ----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "nxv/Conversion/KernelToSPIRV/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/IndexToSPIRV/IndexToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/IR/Verifier.h"

namespace nxv {
#define GEN_PASS_DEF_NXVKERNELTOSPIRV
#include "nxv/Conversion/KernelToSPIRV/Passes.h.inc"
} // namespace nxv

using namespace mlir;

namespace {

/// Everything a kernel may use. What it does use is worked out afterwards, from
/// the operations and types that are there.
spirv::TargetEnvAttr getTargetEnv(MLIRContext *context) {
  using C = spirv::Capability;
  using E = spirv::Extension;
  C capabilities[] = {C::Shader,
                      C::PhysicalStorageBufferAddresses,
                      C::Int8,
                      C::Int16,
                      C::Int64,
                      C::Float16,
                      C::Float64,
                      C::StorageBuffer8BitAccess,
                      C::StorageBuffer16BitAccess,
                      C::Int64Atomics,
                      C::AtomicFloat32AddEXT,
                      C::AtomicFloat64AddEXT,
                      C::GroupNonUniform,
                      C::GroupNonUniformVote,
                      C::GroupNonUniformArithmetic,
                      C::GroupNonUniformBallot,
                      C::GroupNonUniformShuffle,
                      C::GroupNonUniformShuffleRelative,
                      C::CooperativeMatrixKHR,
                      C::SignedZeroInfNanPreserve};
  E extensions[] = {E::SPV_KHR_physical_storage_buffer,
                    E::SPV_KHR_storage_buffer_storage_class,
                    E::SPV_KHR_8bit_storage,
                    E::SPV_KHR_16bit_storage,
                    E::SPV_KHR_float_controls,
                    E::SPV_KHR_no_integer_wrap_decoration,
                    E::SPV_KHR_cooperative_matrix,
                    E::SPV_EXT_shader_atomic_float_add};
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_6, capabilities,
                                          extensions, context);
  return spirv::TargetEnvAttr::get(
      triple, spirv::getDefaultResourceLimits(context),
      spirv::ClientAPI::Vulkan, spirv::Vendor::Unknown,
      spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}

struct ReturnPattern : OpConversionPattern<gpu::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::ReturnOp>(op);
    return success();
  }
};

/// OpSRem is undefined in Vulkan for negative operands, and MLIR's way around
/// it, by magnitudes, fails for the lowest value: it has none.
struct RemainderPattern : OpRewritePattern<arith::RemSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemSIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    Value quotient = arith::DivSIOp::create(rewriter, loc, lhs, rhs);
    Value whole = arith::MulIOp::create(rewriter, loc, quotient, rhs);
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, lhs, whole);
    return success();
  }
};

/// GLSL.std.450 has Trunc, but MLIR has no operation for it.
struct TruncPattern : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TruncOp op,
                                PatternRewriter &rewriter) const override {
    // floor(|x|) with the sign of x; keeps -0.0, infinities and NaN.
    Location loc = op.getLoc();
    Value abs = math::AbsFOp::create(rewriter, loc, op.getOperand());
    Value floor = math::FloorOp::create(rewriter, loc, abs);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, floor, op.getOperand());
    return success();
  }
};

/// OpIsFinite needs the Kernel capability: x - x is 0 exactly for finite x, but
/// may be simplified; |x| < infinity may not be.
struct IsFinitePattern : OpRewritePattern<math::IsFiniteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsFiniteOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getOperand().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr bound = rewriter.getFloatAttr(
        element, APFloat::getInf(element.getFloatSemantics()));
    if (auto vector = dyn_cast<VectorType>(type))
      bound = DenseElementsAttr::get(vector, bound);
    Value abs = math::AbsFOp::create(rewriter, loc, op.getOperand());
    Value infinity = arith::ConstantOp::create(rewriter, loc, bound);
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::OLT,
                                               abs, infinity);
    return success();
  }
};

/// Bits are counted for every width; SPIR-V for Vulkan can for 32 only.
class BitCounter {
public:
  BitCounter(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type),
        width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()) {}

  /// Sums pairs, then nibbles, then bytes, all at once.
  Value countOnes(Value x) {
    x = arith::SubIOp::create(builder, loc, x, mask(shift(x, 1), 0x55));
    Value high = mask(shift(x, 2), 0x33);
    x = arith::AddIOp::create(builder, loc, mask(x, 0x33), high);
    x = arith::AddIOp::create(builder, loc, x, shift(x, 4));
    x = mask(x, 0x0f);
    if (width == 8)
      return x;
    x = arith::MulIOp::create(builder, loc, x, repeat(0x01));
    return shift(x, width - 8);
  }

  Value countLeadingZeros(Value x) {
    for (unsigned n = 1; n < width; n *= 2)
      x = arith::OrIOp::create(builder, loc, x, shift(x, n));
    return countOnes(invert(x));
  }

  Value countTrailingZeros(Value x) {
    Value below = arith::AddIOp::create(builder, loc, x, repeat(0xff));
    return countOnes(arith::AndIOp::create(builder, loc, invert(x), below));
  }

private:
  Value constant(const APInt &value) {
    TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value repeat(uint8_t byte) {
    return constant(APInt::getSplat(width, APInt(8, byte)));
  }
  Value mask(Value x, uint8_t byte) {
    return arith::AndIOp::create(builder, loc, x, repeat(byte));
  }
  Value shift(Value x, unsigned amount) {
    return arith::ShRUIOp::create(builder, loc, x,
                                  constant(APInt(width, amount)));
  }
  Value invert(Value x) {
    return arith::XOrIOp::create(builder, loc, x, repeat(0xff));
  }

  OpBuilder &builder;
  Location loc;
  Type type;
  unsigned width;
};

template <typename Op, Value (BitCounter::*count)(Value)>
struct BitCountPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isInteger() || element.getIntOrFloatBitWidth() < 8)
      return rewriter.notifyMatchFailure(op, "expected 8 bits or more");
    BitCounter counter(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, (counter.*count)(op.getOperand()));
    return success();
  }
};

/// The predicates that do not look at their operands.
struct ConstantComparePattern : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    bool isTrue = op.getPredicate() == arith::CmpFPredicate::AlwaysTrue;
    if (!isTrue && op.getPredicate() != arith::CmpFPredicate::AlwaysFalse)
      return rewriter.notifyMatchFailure(op, "compares its operands");
    TypedAttr value = rewriter.getBoolAttr(isTrue);
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      value = DenseElementsAttr::get(vector, isTrue);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

LogicalResult convertBody(spirv::ModuleOp module, spirv::TargetEnvAttr env) {
  MLIRContext *context = module.getContext();
  SPIRVConversionOptions options;
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  options.use64bitIndex = module->hasAttr("nxv.index64");
  SPIRVTypeConverter converter(env, options);
  ScfToSPIRVContext scfContext;

  RewritePatternSet patterns(context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  index::populateIndexToSPIRVPatterns(converter, patterns);
  populateAffineToStdConversionPatterns(patterns);
  populateGPUToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  populateMemRefToSPIRVPatterns(converter, patterns);
  populateSCFToSPIRVPatterns(converter, scfContext, patterns);
  populateVectorToSPIRVPatterns(converter, patterns);
  ub::populateUBToSPIRVConversionPatterns(converter, patterns);
  patterns.add<ReturnPattern>(converter, context, /*benefit=*/2);
  patterns.add<RemainderPattern, TruncPattern, IsFinitePattern,
               ConstantComparePattern>(context, /*benefit=*/2);
  patterns.add<BitCountPattern<math::CtPopOp, &BitCounter::countOnes>,
               BitCountPattern<math::CountLeadingZerosOp,
                               &BitCounter::countLeadingZeros>,
               BitCountPattern<math::CountTrailingZerosOp,
                               &BitCounter::countTrailingZeros>>(context,
                                                                 /*benefit=*/2);

  std::unique_ptr<SPIRVConversionTarget> target =
      SPIRVConversionTarget::get(env);
  target->addIllegalOp<UnrealizedConversionCastOp>();
  return applyFullConversion(module, *target, std::move(patterns));
}

struct KernelToSPIRV : nxv::impl::NxvKernelToSPIRVBase<KernelToSPIRV> {
  using NxvKernelToSPIRVBase::NxvKernelToSPIRVBase;

  void runOnOperation() override {
    spirv::TargetEnvAttr env = getTargetEnv(&getContext());
    for (auto source :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(convert(source, env)))
        return signalPassFailure();
  }

  LogicalResult convert(gpu::GPUModuleOp source, spirv::TargetEnvAttr env) {
    spirv::ModuleOp module = nxv::prepareKernel(source);
    if (!module)
      return failure();
    if (Attribute name = source->getAttr(nxv::kVariantOfAttr))
      module->setAttr(nxv::kVariantOfAttr, name);
    source.erase();
    module->setAttr(spirv::getTargetEnvAttrName(), env);
    if (failed(convertBody(module, env)))
      return failure();
    module->removeAttr(spirv::getTargetEnvAttrName());
    return nxv::finishModule(module, floatControls);
  }
};

} // namespace
