/* A type of a user of generated C. */
#ifndef REAL_T_H
#define REAL_T_H
typedef long double real_t;
#endif
