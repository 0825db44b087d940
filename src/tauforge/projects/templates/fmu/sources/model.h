/* The state of a robot and its motion: what both versions of FMI share. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
typedef unsigned int Reference;
typedef int Status;
typedef const char *String;
enum { OK, WARNING, DISCARD, ERROR };

enum { NQ = @nq@, NV = @nv@, NU = @nu@, NX = NQ + NV, VARIABLES = 1 + 2*NX + NU };

/* Values by reference: the time, the states, the inputs, the derivatives of the states. */
typedef struct {
    double values[VARIABLES];
    double tolerance, step;
} Model;

enum { TIME = 0, STATES = 1, INPUTS = 1 + NX, DERIVATIVES = 1 + NX + NU };

Model *model_made(String token);
void model_reset(Model *model);
Status model_start(Model *model, int given, double tolerance, double start);
Status model_get(Model *model, const Reference vr[], size_t n, double value[]);
Status model_set(Model *model, const Reference vr[], size_t n, const double value[]);
void model_derivatives(Model *model);
int model_integrate(Model *model, double until);

#endif
