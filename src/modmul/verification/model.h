// One verilated harness (see harness.py), with the same ports whatever the design is.
// Only this is compiled for each design; what drives it (bench.h) is compiled once.
#pragma once

#include "runner.h"

namespace modmul {

// A port of any width: little endian, in as many bytes as Verilator gives it.
struct Port {
    void* at;
    size_t bytes;
};

struct Ports {
    uint8_t *modulus_valid, *modulus_ready, *modulus_first, *modulus_last;
    uint8_t *operand_valid, *operand_ready, *operand_first, *operand_last;
    uint8_t *result_valid, *result_ready, *result_first, *result_last, *result_fault;
    uint8_t *operand_square, *operand_add, *operand_subtract;
    Port modulus_data, operand_a, operand_b, operand_a_carry, operand_b_carry;
    Port result_data, result_carry;
};

class Model : public Clocked {
  public:
    Ports ports{};
};

template <class Top> class VerilatedDesign final : public Verilated<Model, Top> {
  public:
    explicit VerilatedDesign(VerilatedContext* context) : Verilated<Model, Top>(context) {
        Top& top = this->top;
        this->ports = Ports{
            &top.modulus_valid, &top.modulus_ready, &top.modulus_first, &top.modulus_last,
            &top.operand_valid, &top.operand_ready, &top.operand_first, &top.operand_last,
            &top.result_valid, &top.result_ready, &top.result_first, &top.result_last,
            &top.result_fault,
            &top.operand_square, &top.operand_add, &top.operand_subtract,
            port(top.modulus_data), port(top.operand_a), port(top.operand_b),
            port(top.operand_a_carry), port(top.operand_b_carry),
            port(top.result_data), port(top.result_carry),
        };
    }

  private:
    template <class Data> static Port port(Data& data) { return Port{&data, sizeof(data)}; }
};

using Maker = std::unique_ptr<Model> (*)(VerilatedContext* context);
extern const Maker makers[];
extern const size_t designs;

}  // namespace modmul
