// Prints the first state of the test, what the function gives there, and how long it takes.
#include <@name@.h>

@arrays@
void setup() {
    Serial.begin(115200);
}

void loop() {
    const unsigned long start = micros();
    for (int k = 0; k < 100; k++) @name@(@call@);
    const unsigned long each = (micros() - start)/100;
    for (unsigned i = 0; i < sizeof @first@/sizeof *@first@; i++) Serial.println(@first@[i], 6);
    Serial.print(each);
    Serial.println(" microseconds per call");
    delay(1000);
}
