// Between the assembler's Program and the runtime's Image, which have the same content.
#pragma once
#include "isa/asm.h"
#include "runtime/image.h"

namespace ttpu::cli {

Image to_image(const isa::Program& program);
isa::Program to_program(const Image& image);

}  // namespace ttpu::cli
