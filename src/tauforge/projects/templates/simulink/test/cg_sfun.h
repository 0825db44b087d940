/* A stand-in for Simulink's file of the same name: it gives the harness the functions. */
void start(SimStruct *S)
{
    mdlInitializeSizes(S);
    mdlInitializeSampleTimes(S);
}

void outputs(SimStruct *S)
{
    mdlOutputs(S, 0);
}

void terminate(SimStruct *S)
{
    mdlTerminate(S);
}
