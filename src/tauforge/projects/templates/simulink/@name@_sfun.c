/* @title@, as a Level-2 S-function. Build it with build.m, then use the block S-Function with the name @name@_sfun. */
#define S_FUNCTION_NAME @name@_sfun
#define S_FUNCTION_LEVEL 2
#include "simstruc.h"

#include "@name@.h"

enum { INPUTS = @inputs@, OUTPUTS = @outputs@ };
static const int IN[INPUTS] = {@in@}, OUT[OUTPUTS] = {@out@};

static void mdlInitializeSizes(SimStruct *S)
{
    ssSetNumSFcnParams(S, 0);
    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) return;
    ssSetNumContStates(S, 0);
    ssSetNumDiscStates(S, 0);
    if (!ssSetNumInputPorts(S, INPUTS) || !ssSetNumOutputPorts(S, OUTPUTS)) return;
    for (int i = 0; i < INPUTS; i++) {
        ssSetInputPortWidth(S, i, IN[i]);
        ssSetInputPortRequiredContiguous(S, i, 1);
        ssSetInputPortDirectFeedThrough(S, i, 1);
    }
    for (int i = 0; i < OUTPUTS; i++) ssSetOutputPortWidth(S, i, OUT[i]);
    ssSetNumSampleTimes(S, 1);
    ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE);
}

static void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, INHERITED_SAMPLE_TIME);
    ssSetOffsetTime(S, 0, 0.0);
}

static void mdlOutputs(SimStruct *S, int_T tid)
{
    (void)tid;
    @name@(@signals@);
}

static void mdlTerminate(SimStruct *S)
{
    (void)S;
}

#ifdef MATLAB_MEX_FILE
#include "simulink.c"
#else
#include "cg_sfun.h"
#endif
