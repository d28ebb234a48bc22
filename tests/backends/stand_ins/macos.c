/* Stands in for the functions of macOS that Lull calls, with their true C types, so that what ctypes
   passes and reads is checked where there is no Mac. The `now_*` variables say what they answer. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double now_idle_s = 0.0;
int32_t now_session = 1;      /* 0: none, 1: unlocked, 2: locked (a boolean), 3: locked (a number) */
int32_t now_thermal_state = 0;
int32_t now_low_power = 0;    /* -1: a system that has no such mode */
int32_t now_recorders[8];     /* process ids; 0 ends them */
int32_t now_tells_recorders = 1;
int32_t now_microphone = 0;   /* -1: there is none */
int32_t asked_state = -1;
uint32_t asked_type = 0;
int32_t alive = 0;            /* objects made or copied and not released */

/* CoreGraphics */

double CGEventSourceSecondsSinceLastEventType(int32_t state, uint32_t type) {
    asked_state = state;
    asked_type = type;
    return now_idle_s;
}

enum { STRING = 7, DICTIONARY = 18, BOOLEAN = 21, NUMBER = 22 };
typedef struct { unsigned long kind; int64_t value; char text[64]; } object;
static object yes = {BOOLEAN, 1, ""}, one = {NUMBER, 1, ""};

static object *made(unsigned long kind) {
    object *new = calloc(1, sizeof(object));
    new->kind = kind;
    alive++;
    return new;
}

const void *CGSessionCopyCurrentDictionary(void) {
    return now_session == 0 ? NULL : made(DICTIONARY);
}

/* CoreFoundation */

const void *CFStringCreateWithCString(const void *allocator, const char *text, uint32_t encoding) {
    if (allocator != NULL || encoding != 0x08000100) return NULL;
    object *string = made(STRING);
    strncpy(string->text, text, sizeof string->text - 1);
    return string;
}

const void *CFDictionaryGetValue(const void *dictionary, const void *key) {
    const object *in = dictionary, *name = key;
    if (in->kind != DICTIONARY || name->kind != STRING) abort();
    if (strcmp(name->text, "CGSSessionScreenIsLocked") != 0) return NULL;
    return now_session == 2 ? &yes : now_session == 3 ? &one : NULL;
}

unsigned long CFGetTypeID(const void *of) { return ((const object *)of)->kind; }
unsigned long CFBooleanGetTypeID(void) { return BOOLEAN; }
unsigned char CFBooleanGetValue(const void *of) { return ((const object *)of)->value != 0; }

unsigned char CFNumberGetValue(const void *of, long type, void *into) {
    if (type != 4) return 0;
    *(int64_t *)into = ((const object *)of)->value;
    return 1;
}

void CFRelease(const void *what) {
    alive--;
    free((void *)what);
}

/* The Objective-C runtime and NSProcessInfo */

static char process_info_class, process_info;

void *objc_getClass(const char *name) {
    return strcmp(name, "NSProcessInfo") == 0 ? &process_info_class : NULL;
}

void *sel_registerName(const char *name) { return strdup(name); } /* the caller may free its own */

long objc_msgSend(void *to, const char *selector, const char *argument) {
    if (to == &process_info_class && strcmp(selector, "processInfo") == 0) return (long)&process_info;
    if (to != &process_info) abort();
    if (strcmp(selector, "thermalState") == 0) return now_thermal_state;
    if (strcmp(selector, "isLowPowerModeEnabled") == 0) return now_low_power == 1;
    if (strcmp(selector, "respondsToSelector:") == 0)
        return strcmp(argument, "isLowPowerModeEnabled") == 0 && now_low_power >= 0;
    abort();
}

/* CoreAudio. Object 1 is the system, 2 the microphone, 100 and up are processes: one that records
   for each of `now_recorders`, and one that plays. */

typedef struct { uint32_t selector, scope, element; } address;
enum { GLOBAL = 0x676c6f62, LIST = 0x70727323, PID = 0x70706964, INPUT = 0x70697269,
       MICROPHONE = 0x64496e20, RUNS = 0x676f6e65 };

static uint32_t recorders(void) {
    uint32_t n = 0;
    while (n < 8 && now_recorders[n] != 0) n++;
    return n;
}

int32_t AudioObjectGetPropertyDataSize(uint32_t of, const address *what, uint32_t qualifier,
                                       const void *data, uint32_t *size) {
    if (what->scope != GLOBAL || what->element != 0 || qualifier != 0 || data != NULL) return -50;
    if (what->selector == LIST) {
        *size = 4 * (recorders() + 1);
        return of == 1 && now_tells_recorders ? 0 : 0x77686f3f;
    }
    *size = 4;
    return 0;
}

int32_t AudioObjectGetPropertyData(uint32_t of, const address *what, uint32_t qualifier,
                                   const void *data, uint32_t *size, void *into) {
    uint32_t *out = into, n = recorders();
    if (what->scope != GLOBAL || qualifier != 0 || data != NULL) return -50;
    switch (what->selector) {
    case LIST:
        for (uint32_t i = 0; i <= n && 4 * i < *size; i++) out[i] = 100 + i;
        return 0;
    case PID:
        out[0] = of - 100 < n ? (uint32_t)now_recorders[of - 100] : 4242;
        return 0;
    case INPUT:
        out[0] = of - 100 < n;
        return 0;
    case MICROPHONE:
        out[0] = now_microphone >= 0 ? 2 : 0;
        return of == 1 ? 0 : -50;
    case RUNS:
        out[0] = now_microphone == 1;
        return of == 2 ? 0 : -50;
    }
    return -50;
}
