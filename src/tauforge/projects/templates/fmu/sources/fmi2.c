/* FMI 2.0 for model exchange and co-simulation. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

typedef void *Component;
typedef int Boolean;
typedef struct { Boolean again, terminate, nominals, changed, defined; double next; } EventInfo;

EXPORT String fmi2GetTypesPlatform(void) { return "default"; }
EXPORT String fmi2GetVersion(void) { return "2.0"; }
EXPORT Status fmi2SetDebugLogging(Component c, Boolean on, size_t n, const String names[])
{ (void)c; (void)on; (void)n; (void)names; return OK; }

EXPORT Component fmi2Instantiate(String name, int kind, String guid, String place, const void *functions, Boolean visible, Boolean logging)
{
    (void)name; (void)kind; (void)place; (void)functions; (void)visible; (void)logging;
    return model_made(guid);
}

EXPORT void fmi2FreeInstance(Component c) { free(c); }

EXPORT Status fmi2SetupExperiment(Component c, Boolean given, double tolerance, double start, Boolean ends, double end)
{
    (void)ends; (void)end;
    return model_start(c, given, tolerance, start);
}

EXPORT Status fmi2EnterInitializationMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2ExitInitializationMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2Terminate(Component c) { (void)c; return OK; }
EXPORT Status fmi2Reset(Component c) { model_reset(c); return OK; }

EXPORT Status fmi2GetReal(Component c, const Reference vr[], size_t n, double value[])
{
    return model_get(c, vr, n, value);
}

EXPORT Status fmi2SetReal(Component c, const Reference vr[], size_t n, const double value[])
{
    return model_set(c, vr, n, value);
}

#define NONE(name, type) \
    EXPORT Status fmi2##name(Component c, const Reference vr[], size_t n, type value[]) \
    { (void)c; (void)vr; (void)value; return n ? ERROR : OK; }
NONE(GetInteger, int)
NONE(GetBoolean, Boolean)
NONE(GetString, String)
NONE(SetInteger, const int)
NONE(SetBoolean, const Boolean)
NONE(SetString, const String)

EXPORT Status fmi2GetFMUstate(Component c, void **state)
{
    if (!*state) *state = malloc(sizeof(Model));
    if (!*state) return ERROR;
    memcpy(*state, c, sizeof(Model));
    return OK;
}
EXPORT Status fmi2SetFMUstate(Component c, void *state) { memcpy(c, state, sizeof(Model)); return OK; }
EXPORT Status fmi2FreeFMUstate(Component c, void **state) { (void)c; free(*state); *state = NULL; return OK; }
EXPORT Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *size)
{ (void)c; (void)state; *size = sizeof(Model); return OK; }
EXPORT Status fmi2SerializeFMUstate(Component c, void *state, char bytes[], size_t size)
{ (void)c; if (size < sizeof(Model)) return ERROR; memcpy(bytes, state, sizeof(Model)); return OK; }
EXPORT Status fmi2DeSerializeFMUstate(Component c, const char bytes[], size_t size, void **state)
{
    (void)c;
    if (size < sizeof(Model)) return ERROR;
    if (!*state) *state = malloc(sizeof(Model));
    if (!*state) return ERROR;
    memcpy(*state, bytes, sizeof(Model));
    return OK;
}
EXPORT Status fmi2GetDirectionalDerivative(
    Component c, const Reference z[], size_t nz, const Reference v[], size_t nv, const double dv[], double dz[])
{ (void)c; (void)z; (void)nz; (void)v; (void)nv; (void)dv; (void)dz; return ERROR; }

/* Model exchange */
EXPORT Status fmi2EnterEventMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2NewDiscreteStates(Component c, EventInfo *info)
{ (void)c; memset(info, 0, sizeof *info); return OK; }
EXPORT Status fmi2EnterContinuousTimeMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2CompletedIntegratorStep(Component c, Boolean no_set, Boolean *enter, Boolean *terminate)
{ (void)c; (void)no_set; *enter = *terminate = 0; return OK; }
EXPORT Status fmi2SetTime(Component c, double time) { ((Model *)c)->values[TIME] = time; return OK; }
EXPORT Status fmi2SetContinuousStates(Component c, const double x[], size_t n)
{ if (n != NX) return ERROR; memcpy(((Model *)c)->values + STATES, x, n*sizeof *x); return OK; }
EXPORT Status fmi2GetContinuousStates(Component c, double x[], size_t n)
{ if (n != NX) return ERROR; memcpy(x, ((Model *)c)->values + STATES, n*sizeof *x); return OK; }
EXPORT Status fmi2GetDerivatives(Component c, double dx[], size_t n)
{
    if (n != NX) return ERROR;
    model_derivatives(c);
    memcpy(dx, ((Model *)c)->values + DERIVATIVES, n*sizeof *dx);
    return OK;
}
EXPORT Status fmi2GetEventIndicators(Component c, double z[], size_t n) { (void)c; (void)z; return n ? ERROR : OK; }
EXPORT Status fmi2GetNominalsOfContinuousStates(Component c, double x[], size_t n)
{ (void)c; for (size_t i = 0; i < n; i++) x[i] = 1.0; return OK; }

/* Co-simulation */
EXPORT Status fmi2SetRealInputDerivatives(Component c, const Reference vr[], size_t n, const int order[], const double x[])
{ (void)c; (void)vr; (void)order; (void)x; return n ? ERROR : OK; }
EXPORT Status fmi2GetRealOutputDerivatives(Component c, const Reference vr[], size_t n, const int order[], double x[])
{ (void)c; (void)vr; (void)order; (void)x; return n ? ERROR : OK; }
EXPORT Status fmi2DoStep(Component c, double now, double step, Boolean keep)
{
    Model *model = c;
    (void)keep;
    model->values[TIME] = now;
    return step >= 0.0 && model_integrate(model, now + step) ? OK : ERROR;
}
EXPORT Status fmi2CancelStep(Component c) { (void)c; return ERROR; }
EXPORT Status fmi2GetStatus(Component c, int kind, Status *value) { (void)c; (void)kind; *value = OK; return DISCARD; }
EXPORT Status fmi2GetRealStatus(Component c, int kind, double *value)
{ (void)kind; *value = ((Model *)c)->values[TIME]; return OK; }
EXPORT Status fmi2GetIntegerStatus(Component c, int kind, int *value) { (void)c; (void)kind; *value = 0; return DISCARD; }
EXPORT Status fmi2GetBooleanStatus(Component c, int kind, Boolean *value)
{ (void)c; (void)kind; *value = 0; return OK; }
EXPORT Status fmi2GetStringStatus(Component c, int kind, String *value) { (void)c; (void)kind; *value = ""; return DISCARD; }
