// One verilated design with any number of streams (valid, ready and fields), see streams.cpp.
#pragma once

#include <vector>

#include "runner.h"

namespace modmul {

// A port of any width: little endian, in as many bytes as Verilator gives it.
struct Field {
    void* at;
    size_t bytes;
    unsigned bits;
};

struct Stream {
    bool input;
    uint8_t *valid, *ready;
    std::vector<Field> fields;  // a beat is packed in this order

    unsigned bits() const {
        unsigned sum = 0;
        for (const Field& field : fields) sum += field.bits;
        return sum;
    }
    size_t bytes() const { return (bits() + 7) / 8; }
};

class Model : public Clocked {
  public:
    std::vector<Stream> streams;
};

template <class Data> Field field(Data& data, unsigned bits) {
    return Field{&data, sizeof(data), bits};
}

// list: fills in the streams of the model.
template <class Top> class VerilatedDesign final : public Verilated<Model, Top> {
  public:
    VerilatedDesign(VerilatedContext* context, std::vector<Stream> (*list)(Top&))
        : Verilated<Model, Top>(context) {
        this->streams = list(this->top);
    }
};

using Maker = std::unique_ptr<Model> (*)(VerilatedContext* context);
extern const Maker makers[];
extern const size_t designs;

}  // namespace modmul
