/* The self-test of a driver: what it finds wrong, a letter a word, and its cycles. */
#include "dut.h"
#include "dut_selftest.c"

#define OUT (*(volatile uint32_t *)0x10000000)
#define CYCLES (*(volatile uint32_t *)0x10000008)
#define DEVICE ((volatile uint32_t *)0x40000000)

/* For a simulation: a system has a source of random numbers that nobody can foresee. */
int dut_random(uint32_t *words, uint32_t count);
int dut_random(uint32_t *words, uint32_t count)
{
    static uint32_t word = 0x2545F491;
    uint32_t place;
    for (place = 0; place < count; place++) {
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
        words[place] = word;
    }
    return 0;
}

int main(void)
{
    dut_device device;
    const char *wrong;
    uint32_t began;
    OUT = dut_open(&device, DEVICE);
    began = CYCLES;
    wrong = dut_selftest(&device);
    OUT = CYCLES - began;
    for (; wrong != 0 && *wrong != 0; wrong++) {
        OUT = (uint32_t)*wrong;
    }
    return wrong != 0;
}
