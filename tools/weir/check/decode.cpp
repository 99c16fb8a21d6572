// SPDX-License-Identifier: Apache-2.0

#include "check/decode.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>

namespace weir::tool::check {

namespace {

using platform::Instruction;
using platform::MemoryOperand;

std::uint8_t number_of(ZydisRegister reg) {
  if (reg == ZYDIS_REGISTER_NONE) return MemoryOperand::kNone;
  if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP) return MemoryOperand::kInstructionPointer;
  return static_cast<std::uint8_t>(ZydisRegisterGetId(reg));
}

// Conditional moves of vectors take their condition from a vector register.
bool by_vector(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU: return true;
    default: return false;
  }
}

MemoryOperand operand_of(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand& from) {
  MemoryOperand to;
  to.base = number_of(from.mem.base);
  to.index = number_of(from.mem.index);
  to.scale = from.mem.scale;
  to.displacement = from.mem.disp.has_displacement ? from.mem.disp.value : 0;
  to.segment = from.mem.segment == ZYDIS_REGISTER_FS ? 4 : from.mem.segment == ZYDIS_REGISTER_GS ? 5 : 0;
  to.reads = (from.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
  to.writes = (from.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  to.bytes = from.size / 8;
  to.element_bytes = static_cast<std::uint8_t>(std::min<unsigned>(from.element_size / 8, 64));
  to.by_elements = from.mem.type == ZYDIS_MEMOP_TYPE_VSIB || by_vector(instruction);
  const ZydisRegister mask = instruction.avx.mask.reg;
  if (mask > ZYDIS_REGISTER_K0 && mask <= ZYDIS_REGISTER_K7 &&
      instruction.avx.broadcast.mode == ZYDIS_BROADCAST_MODE_INVALID)
    to.mask = static_cast<std::uint8_t>(mask - ZYDIS_REGISTER_K0);
  return to;
}

using Operands = ZydisDecodedOperand[ZYDIS_MAX_OPERAND_COUNT];

bool decode_all(std::span<const unsigned char> code, ZydisDecodedInstruction& instruction, Operands& operands) {
  ZydisDecoder decoder;
  return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
         ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &instruction, operands));
}

}  // namespace

bool can_decode() { return true; }

Flow flow(std::span<const unsigned char> code) {
  ZydisDecodedInstruction instruction;
  Operands operands;
  if (!decode_all(code, instruction, operands)) return {};
  Flow result{instruction.length};
  const ZydisInstructionCategory category = instruction.meta.category;
  result.jumps = category == ZYDIS_CATEGORY_UNCOND_BR || category == ZYDIS_CATEGORY_COND_BR;
  result.is_relative = operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative != 0;
  if (result.is_relative) result.by = operands[0].imm.value.s;
  return result;
}

Instruction decode(std::span<const unsigned char> code) {
  Instruction result;
  ZydisDecodedInstruction instruction;
  Operands operands;
  if (!decode_all(code, instruction, operands)) return result;
  result.length = instruction.length;
  for (std::size_t i = 0; i < instruction.operand_count && result.operand_count < Instruction::kMostOperands; ++i) {
    const ZydisDecodedOperand& from = operands[i];
    if (from.type != ZYDIS_OPERAND_TYPE_MEMORY || from.mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
        from.mem.type == ZYDIS_MEMOP_TYPE_MIB)
      continue;
    result.operands[result.operand_count++] = operand_of(instruction, from);
  }
  const bool repeated = (instruction.attributes & ZYDIS_ATTRIB_HAS_REP) != 0;
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSQ: result.repeated_move = repeated && result.operand_count == 2; break;
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ: result.repeated_store = repeated && result.operand_count == 1; break;
    default: break;
  }
  return result;
}

}  // namespace weir::tool::check
