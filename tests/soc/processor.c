/* One operation of a processor by its driver: asked.h has the call, its operands and its results. */
#include "dut.h"

#define OUT (*(volatile uint32_t *)0x10000000)
#define CYCLES (*(volatile uint32_t *)0x10000008)
#define DEVICE ((volatile uint32_t *)0x40000000)

/* For a simulation: a system has a source of random numbers that nobody can foresee. */
int dut_random(uint32_t *words, uint32_t count);
int dut_random(uint32_t *words, uint32_t count)
{
    static uint32_t seed = SEED;
    uint32_t place;
    for (place = 0; place < count; place++) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        words[place] = seed;
    }
    return 0;
}

#include "asked.h"

int main(void)
{
    dut_device device;
    uint32_t began;
    OUT = dut_open(&device, DEVICE);
    began = CYCLES;
    OUT = dut_load_own(&device);
    OUT = CYCLES - began;
    began = CYCLES;
    OUT = CALL(&device);
    OUT = CYCLES - began;
    print_results();
    OUT = dut_wipe(&device);
    return 0;
}
