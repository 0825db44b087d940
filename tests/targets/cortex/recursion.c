/* Inverse dynamics written in the usual way: Newton and Euler's recursion over float matrices, for a chain of revolute
   joints in Khalil and Kleinfinger's parameters. What generated code is compared with. */
#include <math.h>

#include "robot.h" /* N, SA, CA, D, R, THETA, MASS, MOMENT, INERTIA, GRAVITY */

static void matrix_vector(const float a[3][3], const float x[3], float y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0f;
        for (int j = 0; j < 3; j++) y[i] += a[i][j]*x[j];
    }
}

static void transposed_vector(const float a[3][3], const float x[3], float y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0f;
        for (int j = 0; j < 3; j++) y[i] += a[j][i]*x[j];
    }
}

static void cross(const float a[3], const float b[3], float c[3])
{
    c[0] = a[1]*b[2] - a[2]*b[1];
    c[1] = a[2]*b[0] - a[0]*b[2];
    c[2] = a[0]*b[1] - a[1]*b[0];
}

void recursion(const float q[N], const float qd[N], const float qdd[N], float tau[N])
{
    float rotation[N][3][3], offset[N][3], force[N][3], moment[N][3];
    float w[3] = {0}, wd[3] = {0}, a[3] = {-GRAVITY[0], -GRAVITY[1], -GRAVITY[2]};
    for (int j = 0; j < N; j++) {
        const float s = sinf(q[j] + THETA[j]), c = cosf(q[j] + THETA[j]), sa = SA[j], ca = CA[j];
        const float turned[3][3] = {{c, -s, 0.0f}, {ca*s, ca*c, -sa}, {sa*s, sa*c, ca}};
        const float place[3] = {D[j], -R[j]*sa, R[j]*ca};
        for (int i = 0; i < 3; i++) {
            offset[j][i] = place[i];
            for (int k = 0; k < 3; k++) rotation[j][i][k] = turned[i][k];
        }
        float t[3], u[3], v[3];
        cross(w, place, t);
        cross(w, t, u);
        cross(wd, place, v);
        for (int i = 0; i < 3; i++) u[i] += v[i] + a[i];
        transposed_vector(rotation[j], u, a);
        transposed_vector(rotation[j], w, t);
        transposed_vector(rotation[j], wd, v);
        const float axis[3] = {0.0f, 0.0f, qd[j]};
        cross(t, axis, u);
        for (int i = 0; i < 3; i++) {
            wd[i] = v[i] + u[i];
            w[i] = t[i];
        }
        w[2] += qd[j];
        wd[2] += qdd[j];
        cross(wd, MOMENT[j], t);
        cross(w, MOMENT[j], u);
        cross(w, u, v);
        for (int i = 0; i < 3; i++) force[j][i] = MASS[j]*a[i] + t[i] + v[i];
        matrix_vector(INERTIA[j], wd, t);
        matrix_vector(INERTIA[j], w, u);
        cross(w, u, v);
        cross(MOMENT[j], a, u);
        for (int i = 0; i < 3; i++) moment[j][i] = t[i] + v[i] + u[i];
    }
    for (int j = N - 1; j >= 0; j--) {
        tau[j] = moment[j][2];
        if (j > 0) {
            float f[3], m[3], t[3];
            matrix_vector(rotation[j], force[j], f);
            matrix_vector(rotation[j], moment[j], m);
            cross(offset[j], f, t);
            for (int i = 0; i < 3; i++) {
                force[j - 1][i] += f[i];
                moment[j - 1][i] += m[i] + t[i];
            }
        }
    }
}
