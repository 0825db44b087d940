/* @title@, for Python: arrays through the buffer protocol, so that NumPy is not needed to build it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_@name@_code.h"

#define INPUTS @inputs@
#define ARRAYS @arrays@
static const Py_ssize_t SIZES[ARRAYS] = {@sizes@};

static PyObject *evaluate(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    Py_buffer views[ARRAYS];
    Py_ssize_t states, held = 0;
    PyObject *result = NULL;
    (void)self;
    if (count != ARRAYS + 1) {
        PyErr_SetString(PyExc_TypeError, "the number of states and each array");
        return NULL;
    }
    states = PyLong_AsSsize_t(arguments[0]);
    if (states == -1 && PyErr_Occurred()) return NULL;
    for (; held < ARRAYS; held++) {
        const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (held < INPUTS ? 0 : PyBUF_WRITABLE);
        if (PyObject_GetBuffer(arguments[held + 1], &views[held], flags)) goto done;
        if (views[held].itemsize != sizeof(double) || views[held].len != states*SIZES[held]*(Py_ssize_t)sizeof(double)) {
            PyErr_SetString(PyExc_ValueError, "an array has the wrong type or size");
            held++;
            goto done;
        }
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t k = 0; k < states; k++) {
        @name@_code(@pointers@);
    }
    Py_END_ALLOW_THREADS
    Py_INCREF(Py_None);
    result = Py_None;
done:
    while (held > 0) PyBuffer_Release(&views[--held]);
    return result;
}

static PyMethodDef methods[] = {
    {"evaluate", (PyCFunction)(void (*)(void))evaluate, METH_FASTCALL, "Evaluate states one after another."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_@name@", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__@name@(void)
{
    return PyModule_Create(&module);
}
