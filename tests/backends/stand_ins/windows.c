/* Stands in for the two functions of Windows that Lull calls, with their true C types. */

#include <stdint.h>

typedef struct { uint32_t size, tick_ms; } last_input;

uint32_t now_tick_ms = 0, now_last_input_ms = 0;
int32_t now_refuses = 0;

uint32_t GetTickCount(void) { return now_tick_ms; }

int32_t GetLastInputInfo(last_input *into) {
    if (now_refuses || into->size != sizeof *into) return 0;
    into->tick_ms = now_last_input_ms;
    return 1;
}
