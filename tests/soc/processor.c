/* Operations of a processor by its driver: the packets in packets.h, then the result. */
#include "dut.h"

#define OUT (*(volatile uint32_t *)0x10000000)
#define CYCLES (*(volatile uint32_t *)0x10000008)
#define DEVICE ((volatile uint32_t *)0x40000000)

typedef struct {
    uint32_t stream; /* DUT_STREAMS: wait for a result of so many beats, and print its words */
    uint32_t beats;
    uint32_t words;
    const uint32_t *data;
} packet;

#include "packets.h"

int main(void)
{
    static uint32_t result[DUT_RESULT_WORDS];
    dut_device device;
    uint32_t place, word, began;
    OUT = dut_open(&device, DEVICE);
    began = CYCLES;
    for (place = 0; place < sizeof(packets) / sizeof(packets[0]); place++) {
        const packet *one = &packets[place];
        if (one->stream < DUT_STREAMS) {
            OUT = dut_send(&device, (dut_stream)one->stream, one->data, one->beats);
            continue;
        }
        OUT = dut_wait(&device);
        OUT = dut_beats(&device) == one->beats;
        OUT = CYCLES - began;
        dut_get(&device, result, one->words);
        dut_take(&device);
        for (word = 0; word < one->words; word++) {
            OUT = result[word];
        }
        began = CYCLES;
    }
    OUT = dut_wipe(&device);
    return 0;
}
