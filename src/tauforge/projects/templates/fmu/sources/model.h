/* The state of a robot and its motion: what both versions of FMI share. */
#ifndef MODEL_H
#define MODEL_H

enum { NQ = @nq@, NV = @nv@, NU = @nu@, NX = NQ + NV, VARIABLES = 1 + 2*NX + NU };

/* Values by reference: the time, the states, the inputs, the derivatives of the states. */
typedef struct {
    double values[VARIABLES];
    double tolerance, step;
} Model;

enum { TIME = 0, STATES = 1, INPUTS = 1 + NX, DERIVATIVES = 1 + NX + NU };

void model_reset(Model *model);
void model_derivatives(Model *model);
int model_integrate(Model *model, double until);

#endif
