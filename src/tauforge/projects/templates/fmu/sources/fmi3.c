/* FMI 3.0 for model exchange and co-simulation. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

typedef void *Instance;

EXPORT String fmi3GetVersion(void) { return "3.0"; }
EXPORT Status fmi3SetDebugLogging(Instance c, bool on, size_t n, const String names[])
{ (void)c; (void)on; (void)n; (void)names; return OK; }

EXPORT Instance fmi3InstantiateModelExchange(
    String name, String token, String place, bool visible, bool logging, void *environment, void *logger)
{ (void)name; (void)place; (void)visible; (void)logging; (void)environment; (void)logger; return model_made(token); }
EXPORT Instance fmi3InstantiateCoSimulation(
    String name, String token, String place, bool visible, bool logging, bool events, bool early,
    const Reference vr[], size_t n, void *environment, void *logger, void *update)
{
    (void)name; (void)place; (void)visible; (void)logging; (void)events; (void)early; (void)vr; (void)n;
    (void)environment; (void)logger; (void)update;
    return model_made(token);
}
EXPORT Instance fmi3InstantiateScheduledExecution(
    String name, String token, String place, bool visible, bool logging, void *environment, void *logger,
    void *update, void *lock, void *unlock)
{
    (void)name; (void)token; (void)place; (void)visible; (void)logging; (void)environment; (void)logger; (void)update;
    (void)lock; (void)unlock;
    return NULL;
}
EXPORT void fmi3FreeInstance(Instance c) { free(c); }

EXPORT Status fmi3EnterInitializationMode(Instance c, bool given, double tolerance, double start, bool ends, double end)
{
    (void)ends; (void)end;
    return model_start(c, given, tolerance, start);
}
#define NOTHING(name) EXPORT Status fmi3##name(Instance c) { (void)c; return OK; }
NOTHING(ExitInitializationMode)
NOTHING(EnterEventMode)
NOTHING(EnterConfigurationMode)
NOTHING(ExitConfigurationMode)
NOTHING(EnterContinuousTimeMode)
NOTHING(EnterStepMode)
NOTHING(EvaluateDiscreteStates)
NOTHING(Terminate)
EXPORT Status fmi3Reset(Instance c) { model_reset(c); return OK; }

EXPORT Status fmi3GetFloat64(Instance c, const Reference vr[], size_t n, double value[], size_t values)
{
    return values < n ? ERROR : model_get(c, vr, n, value);
}
EXPORT Status fmi3SetFloat64(Instance c, const Reference vr[], size_t n, const double value[], size_t values)
{
    return values < n ? ERROR : model_set(c, vr, n, value);
}

#define NONE(name, type) \
    EXPORT Status fmi3Get##name(Instance c, const Reference vr[], size_t n, type value[], size_t values) \
    { (void)c; (void)vr; (void)value; (void)values; return n ? ERROR : OK; } \
    EXPORT Status fmi3Set##name(Instance c, const Reference vr[], size_t n, const type value[], size_t values) \
    { (void)c; (void)vr; (void)value; (void)values; return n ? ERROR : OK; }
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, bool)
NONE(String, String)
EXPORT Status fmi3GetBinary(Instance c, const Reference vr[], size_t n, size_t size[], const uint8_t *x[], size_t values)
{ (void)c; (void)vr; (void)size; (void)x; (void)values; return n ? ERROR : OK; }
EXPORT Status fmi3SetBinary(
    Instance c, const Reference vr[], size_t n, const size_t size[], const uint8_t *const x[], size_t values)
{ (void)c; (void)vr; (void)size; (void)x; (void)values; return n ? ERROR : OK; }
EXPORT Status fmi3GetClock(Instance c, const Reference vr[], size_t n, bool x[])
{ (void)c; (void)vr; (void)x; return n ? ERROR : OK; }
EXPORT Status fmi3SetClock(Instance c, const Reference vr[], size_t n, const bool x[])
{ (void)c; (void)vr; (void)x; return n ? ERROR : OK; }
EXPORT Status fmi3GetNumberOfVariableDependencies(Instance c, Reference vr, size_t *n)
{ (void)c; (void)vr; *n = 0; return ERROR; }
EXPORT Status fmi3GetVariableDependencies(
    Instance c, Reference vr, size_t a[], Reference b[], size_t d[], int kinds[], size_t n)
{ (void)c; (void)vr; (void)a; (void)b; (void)d; (void)kinds; (void)n; return ERROR; }

EXPORT Status fmi3GetFMUState(Instance c, void **state)
{
    if (!*state) *state = malloc(sizeof(Model));
    if (!*state) return ERROR;
    memcpy(*state, c, sizeof(Model));
    return OK;
}
EXPORT Status fmi3SetFMUState(Instance c, void *state) { memcpy(c, state, sizeof(Model)); return OK; }
EXPORT Status fmi3FreeFMUState(Instance c, void **state) { (void)c; free(*state); *state = NULL; return OK; }
EXPORT Status fmi3SerializedFMUStateSize(Instance c, void *state, size_t *size)
{ (void)c; (void)state; *size = sizeof(Model); return OK; }
EXPORT Status fmi3SerializeFMUState(Instance c, void *state, uint8_t bytes[], size_t size)
{ (void)c; if (size < sizeof(Model)) return ERROR; memcpy(bytes, state, sizeof(Model)); return OK; }
EXPORT Status fmi3DeserializeFMUState(Instance c, const uint8_t bytes[], size_t size, void **state)
{
    (void)c;
    if (size < sizeof(Model)) return ERROR;
    if (!*state) *state = malloc(sizeof(Model));
    if (!*state) return ERROR;
    memcpy(*state, bytes, sizeof(Model));
    return OK;
}
EXPORT Status fmi3GetDirectionalDerivative(
    Instance c, const Reference z[], size_t nz, const Reference v[], size_t nv, const double dv[], size_t ndv,
    double dz[], size_t ndz)
{ (void)c; (void)z; (void)nz; (void)v; (void)nv; (void)dv; (void)ndv; (void)dz; (void)ndz; return ERROR; }
EXPORT Status fmi3GetAdjointDerivative(
    Instance c, const Reference z[], size_t nz, const Reference v[], size_t nv, const double dz[], size_t ndz,
    double dv[], size_t ndv)
{ (void)c; (void)z; (void)nz; (void)v; (void)nv; (void)dz; (void)ndz; (void)dv; (void)ndv; return ERROR; }

EXPORT Status fmi3UpdateDiscreteStates(
    Instance c, bool *again, bool *terminate, bool *nominals, bool *changed, bool *defined, double *next)
{
    (void)c;
    *again = *terminate = *nominals = *changed = *defined = false;
    *next = 0.0;
    return OK;
}

#define INTERVAL(name, type) \
    EXPORT Status fmi3##name(Instance c, const Reference vr[], size_t n, type) \
    { (void)c; (void)vr; (void)a; return n ? ERROR : OK; }
EXPORT Status fmi3GetIntervalDecimal(Instance c, const Reference vr[], size_t n, double a[], int b[])
{ (void)c; (void)vr; (void)a; (void)b; return n ? ERROR : OK; }
EXPORT Status fmi3GetIntervalFraction(Instance c, const Reference vr[], size_t n, uint64_t a[], uint64_t d[], int b[])
{ (void)c; (void)vr; (void)a; (void)d; (void)b; return n ? ERROR : OK; }
EXPORT Status fmi3GetShiftFraction(Instance c, const Reference vr[], size_t n, uint64_t a[], uint64_t d[])
{ (void)c; (void)vr; (void)a; (void)d; return n ? ERROR : OK; }
EXPORT Status fmi3SetIntervalFraction(Instance c, const Reference vr[], size_t n, const uint64_t a[], const uint64_t d[])
{ (void)c; (void)vr; (void)a; (void)d; return n ? ERROR : OK; }
EXPORT Status fmi3SetShiftFraction(Instance c, const Reference vr[], size_t n, const uint64_t a[], const uint64_t d[])
{ (void)c; (void)vr; (void)a; (void)d; return n ? ERROR : OK; }
INTERVAL(GetShiftDecimal, double a[])
INTERVAL(SetIntervalDecimal, const double a[])
INTERVAL(SetShiftDecimal, const double a[])

/* Model exchange */
EXPORT Status fmi3CompletedIntegratorStep(Instance c, bool no_set, bool *enter, bool *terminate)
{ (void)c; (void)no_set; *enter = *terminate = false; return OK; }
EXPORT Status fmi3SetTime(Instance c, double time) { ((Model *)c)->values[TIME] = time; return OK; }
EXPORT Status fmi3SetContinuousStates(Instance c, const double x[], size_t n)
{ if (n != NX) return ERROR; memcpy(((Model *)c)->values + STATES, x, n*sizeof *x); return OK; }
EXPORT Status fmi3GetContinuousStates(Instance c, double x[], size_t n)
{ if (n != NX) return ERROR; memcpy(x, ((Model *)c)->values + STATES, n*sizeof *x); return OK; }
EXPORT Status fmi3GetContinuousStateDerivatives(Instance c, double dx[], size_t n)
{
    if (n != NX) return ERROR;
    model_derivatives(c);
    memcpy(dx, ((Model *)c)->values + DERIVATIVES, n*sizeof *dx);
    return OK;
}
EXPORT Status fmi3GetEventIndicators(Instance c, double z[], size_t n) { (void)c; (void)z; return n ? ERROR : OK; }
EXPORT Status fmi3GetNominalsOfContinuousStates(Instance c, double x[], size_t n)
{ (void)c; for (size_t i = 0; i < n; i++) x[i] = 1.0; return OK; }
EXPORT Status fmi3GetNumberOfEventIndicators(Instance c, size_t *n) { (void)c; *n = 0; return OK; }
EXPORT Status fmi3GetNumberOfContinuousStates(Instance c, size_t *n) { (void)c; *n = NX; return OK; }

/* Co-simulation */
EXPORT Status fmi3GetOutputDerivatives(Instance c, const Reference vr[], size_t n, const int32_t order[], double x[], size_t values)
{ (void)c; (void)vr; (void)order; (void)x; (void)values; return n ? ERROR : OK; }
EXPORT Status fmi3DoStep(
    Instance c, double now, double step, bool keep, bool *event, bool *terminate, bool *early, double *last)
{
    Model *model = c;
    (void)keep;
    model->values[TIME] = now;
    const int done = step >= 0.0 && model_integrate(model, now + step);
    *event = *terminate = *early = false;
    *last = model->values[TIME];
    return done ? OK : ERROR;
}
EXPORT Status fmi3ActivateModelPartition(Instance c, Reference clock, double time)
{ (void)c; (void)clock; (void)time; return ERROR; }
