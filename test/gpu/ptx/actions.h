/*
 * actions.h: between the files that know opcodes: execute.cc asks these of what it does not know itself.
 */
#ifndef SCAN_PTX_ACTIONS_H
#define SCAN_PTX_ACTIONS_H

#include "module.h"

/* Reads, writes and fences of memory, and addresses: access.cc. */
extern bool decode_access(const std::string &opcode, Instruction *instruction);

/* What lanes of a warp tell each other: exchange.cc. */
extern bool decode_exchange(const std::string &opcode, Instruction *instruction);

#endif /* SCAN_PTX_ACTIONS_H */
