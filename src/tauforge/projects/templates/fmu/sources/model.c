/* The equations of motion, and Dormand and Prince's method to integrate them in a co-simulation. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "@name@.h"

static const double START[1 + NX + NU] = {@start@};

Model *model_made(String token)
{
    if (!token || strcmp(token, "@guid@")) return NULL;
    Model *model = malloc(sizeof *model);
    if (model) model_reset(model);
    return model;
}

Status model_start(Model *model, int given, double tolerance, double start)
{
    if (given && tolerance > 0.0) model->tolerance = tolerance;
    model->values[TIME] = start;
    return OK;
}

Status model_get(Model *model, const Reference vr[], size_t n, double value[])
{
    model_derivatives(model);
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= VARIABLES) return ERROR;
        value[i] = model->values[vr[i]];
    }
    return OK;
}

Status model_set(Model *model, const Reference vr[], size_t n, const double value[])
{
    for (size_t i = 0; i < n; i++) {
        if (vr[i] < STATES || vr[i] >= DERIVATIVES) return ERROR;
        model->values[vr[i]] = value[i];
    }
    return OK;
}

void model_reset(Model *model)
{
    memset(model, 0, sizeof *model);
    memcpy(model->values, START, sizeof START);
    model->tolerance = 1e-9;
    model->step = 1e-3;
}

static void rates(const double *x, const double *u, double *dx)
{
    @name@(x, x + NQ, u, dx, dx + NQ);
}

void model_derivatives(Model *model)
{
    rates(model->values + STATES, model->values + INPUTS, model->values + DERIVATIVES);
}

static const double A[7][6] = {
    {0.0},
    {1.0/5.0},
    {3.0/40.0, 9.0/40.0},
    {44.0/45.0, -56.0/15.0, 32.0/9.0},
    {19372.0/6561.0, -25360.0/2187.0, 64448.0/6561.0, -212.0/729.0},
    {9017.0/3168.0, -355.0/33.0, 46732.0/5247.0, 49.0/176.0, -5103.0/18656.0},
    {35.0/384.0, 0.0, 500.0/1113.0, 125.0/192.0, -2187.0/6784.0, 11.0/84.0},
};
static const double E[7] = {
    71.0/57600.0, 0.0, -71.0/16695.0, 71.0/1920.0, -17253.0/339200.0, 22.0/525.0, -1.0/40.0,
};

/* Try a step: the new state, and the size of its error, which is fine up to 1. */
static double attempt(const Model *model, double h, double k[7][NX], double *y)
{
    const double *x = model->values + STATES, *u = model->values + INPUTS;
    double sum = 0.0;
    for (int s = 0; s < 7; s++) {
        for (int i = 0; i < NX; i++) {
            double moved = 0.0;
            for (int j = 0; j < s; j++) moved += A[s][j]*k[j][i];
            y[i] = x[i] + h*moved;
        }
        rates(y, u, k[s]);
    }
    for (int i = 0; i < NX; i++) {
        double off = 0.0;
        for (int s = 0; s < 7; s++) off += E[s]*k[s][i];
        off *= h/(model->tolerance*(1.0 + fmax(fabs(x[i]), fabs(y[i]))));
        sum += off*off;
    }
    return sqrt(sum/NX);
}

/* Integrate to a time with constant inputs; return 0 if that fails. */
int model_integrate(Model *model, double until)
{
    double k[7][NX], y[NX], *time = model->values + TIME;
    for (long trial = 0; *time < until; trial++) {
        const double left = until - *time, h = fmin(model->step, left);
        const double error = attempt(model, h, k, y);
        if (!(error < 1e300) || trial > 10000000) return 0;
        if (error <= 1.0) {
            memcpy(model->values + STATES, y, sizeof y);
            *time = h < left ? *time + h : until;
        }
        if (error > 1.0 || h == model->step) {
            model->step = h*fmin(5.0, fmax(0.2, 0.9*pow(error + 1e-12, -0.2)));
        }
    }
    return 1;
}
