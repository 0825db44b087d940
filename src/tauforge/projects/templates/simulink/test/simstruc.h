/* A stand-in for Simulink's header, with what the S-function uses: for the test alone. */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

typedef int int_T;
typedef struct {
    int inputs, outputs, in[16], out[16], samples;
    const double *given[16];
    double *made[16], sample;
} SimStruct;

#define INHERITED_SAMPLE_TIME (-1.0)
#define SS_OPTION_EXCEPTION_FREE_CODE 1
#define ssSetNumSFcnParams(S, n) ((void)(S))
#define ssGetNumSFcnParams(S) ((void)(S), 0)
#define ssGetSFcnParamsCount(S) ((void)(S), 0)
#define ssSetNumContStates(S, n) ((void)(S))
#define ssSetNumDiscStates(S, n) ((void)(S))
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n), 1)
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n), 1)
#define ssSetInputPortWidth(S, i, n) ((S)->in[i] = (n))
#define ssSetInputPortRequiredContiguous(S, i, x) ((void)(S))
#define ssSetInputPortDirectFeedThrough(S, i, x) ((void)(S))
#define ssSetOutputPortWidth(S, i, n) ((S)->out[i] = (n))
#define ssSetNumSampleTimes(S, n) ((S)->samples = (n))
#define ssSetOptions(S, x) ((void)(S))
#define ssSetSampleTime(S, i, t) ((S)->sample = (t))
#define ssSetOffsetTime(S, i, t) ((void)(S))
#define ssGetInputPortSignal(S, i) ((S)->given[i])
#define ssGetOutputPortSignal(S, i) ((S)->made[i])

#endif
