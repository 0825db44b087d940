/* Counts the instructions of a call in QEMU, where one takes a nanosecond and SysTick counts 25 MHz; worst of all states. */
#include <stdint.h>

#include "@name@.h"

void show(const char *text);

@given@
@made@
enum { STATES = @states@, TURNS = 1000, TICK = 40 };

static uint32_t ticks(int k, int called)
{
    volatile uint32_t *clock = (volatile uint32_t *)0xE000E010;
    clock[1] = 0xFFFFFF;
    clock[2] = 0;
    clock[0] = 5;
    const uint32_t start = clock[2];
    for (int turn = 0; turn < TURNS; turn++) {
        if (called) @name@(@call@);
        __asm volatile("" : : : "memory");
    }
    return (start - clock[2]) & 0xFFFFFF;
}

static void number(uint32_t x)
{
    char text[12], *at = text + 11;
    *at = 0;
    do *--at = (char)('0' + x%10); while (x /= 10);
    show(at);
}

int main(void)
{
    uint32_t worst = 0;
    for (int k = 0; k < STATES; k++) {
        const uint32_t each = (ticks(k, 1) - ticks(k, 0))*TICK/TURNS;
        worst = each > worst ? each : worst;
    }
    show("@name@: at most ");
    number(worst);
    show(" instructions per call\n");
    return 0;
}
