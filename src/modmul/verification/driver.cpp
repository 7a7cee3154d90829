// Requests on standard input, responses on standard output, until the input ends.
// Arguments: seed of the power-up values, file for the waveform (or an empty text), what the
// simulated design may ask for (+name=value).

#include "bench.h"

#include <cstdio>
#include <cstdlib>
#include <map>

using namespace modmul;

namespace {

template <class Item> void get(std::vector<Item>& items, size_t count, size_t slack = 0) {
    items.assign(count + slack, Item{});
    if (std::fread(items.data(), sizeof(Item), count, stdin) != count) std::exit(3);
}

template <class Item> void put(const std::vector<Item>& items, size_t count) {
    if (std::fwrite(items.data(), sizeof(Item), count, stdout) != count) std::exit(4);
}

bool receive(Input& in) {
    Request& q = in.request;
    if (std::fread(&q, sizeof q, 1, stdin) != 1) return false;
    if (q.magic != MAGIC || q.design >= designs) std::exit(5);
    get(in.events, q.events);
    const size_t operands = q.flags & CARRY_OPERANDS ? 4 : 2;
    get(in.operands, size_t(q.products) * q.operand_bytes * operands, SLACK);
    get(in.constants, size_t(q.constants) * q.modulus_bytes, SLACK);
    return true;
}

void send(const Output& out, size_t result_size) {
    std::fwrite(&out.response, sizeof out.response, 1, stdout);
    put(out.taken, out.taken.size());
    put(out.results, out.results.size());
    put(out.complaints, out.complaints.size());
    put(out.data, out.results.size() * result_size);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    const uint64_t seed = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
    const std::string waveform = count > 2 ? arguments[2] : "";
    std::map<uint32_t, std::unique_ptr<Bench>> used;
    Input in;
    Output out;
    while (receive(in)) {
        auto& bench = used[in.request.design];
        if (!bench) {
            const Maker make = makers[in.request.design];
            bench = std::make_unique<Bench>(make, seed, waveform, count, arguments);
        }
        bench->run(in, out);
        const Request& q = in.request;
        send(out, q.result_bytes * (q.flags & CARRY_RESULTS ? 2 : 1));
    }
    return 0;
}
