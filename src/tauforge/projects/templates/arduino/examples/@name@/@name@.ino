// Prints what the function gives at the first state of the test, and how long it takes.
#include <@name@.h>

@arrays@
// Whoever reads or writes x is unknown, so that the compiler cannot compute in advance what is timed here.
static void touch(float *x) {
    __asm__ __volatile__("" : : "r"(x) : "memory");
}

void setup() {
    Serial.begin(115200);
}

void loop() {
    const unsigned long start = micros();
    for (int k = 0; k < 100; k++) {
        @touches@
        @name@(@call@);
    }
    const unsigned long each = (micros() - start)/100;
    touch(@first@);
    for (unsigned i = 0; i < sizeof @first@/sizeof *@first@; i++) Serial.println(@first@[i], 6);
    Serial.print(each);
    Serial.println(" microseconds per call");
    delay(1000);
}
